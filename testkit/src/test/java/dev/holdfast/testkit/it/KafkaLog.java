package dev.holdfast.testkit.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.record.FrameBatch;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Reads topics whole and writes records by hand. */
final class KafkaLog implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String bootstrap;
  private final KafkaProducer<byte[], byte[]> producer;

  KafkaLog(String bootstrap) {
    this.bootstrap = bootstrap;
    this.producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "acks", "all", "max.request.size", "2097152"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /** Every record that was ever written, also in transactions that were aborted. */
  void readAll(Topics topic, Consumer<ConsumerRecord<byte[], byte[]>> each) {
    read(topic, "read_uncommitted", each);
  }

  /** Every record of transactions that were committed. */
  List<ConsumerRecord<byte[], byte[]>> committed(Topics topic) {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    read(topic, "read_committed", all::add);
    return all;
  }

  private void read(Topics topic, String isolation, Consumer<ConsumerRecord<byte[], byte[]>> each) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "isolation.level", isolation),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic.topic()).stream()
              .map(p -> new TopicPartition(p.topic(), p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        consumer.poll(Duration.ofMillis(200)).forEach(each);
      }
    }
  }

  /**
   * Whether any (user, seq) names two messages, over all records ever written to deliveries.
   *
   * @return the offenders; empty is good
   */
  List<String> seqsGivenTwice() {
    Map<String, String> named = new HashMap<>();
    List<String> twice = new ArrayList<>();
    readAll(
        Topics.DELIVERIES,
        record -> {
          if (!"message".equals(header(record, DeliveryHeaders.KIND))) {
            return;
          }
          String user = new String(record.key(), StandardCharsets.UTF_8);
          long seq = Long.parseLong(header(record, DeliveryHeaders.SEQ));
          byte[] value = record.value();
          for (int from = 0; from <= value.length; seq++) {
            int end = FrameBatch.end(value, from);
            String msgId = msgId(FrameBatch.frame(value, from, end), seq);
            String before = named.putIfAbsent(user + '#' + seq, msgId);
            if (before != null && !before.equals(msgId)) {
              twice.add(user + '#' + seq + " is " + before + " and " + msgId);
            }
            from = end + 1;
          }
        });
    return twice;
  }

  private static String msgId(byte[] frame, long seq) {
    try {
      JsonNode message = JSON.readTree(frame);
      if (message.get("seq").asLong() != seq) {
        throw new IllegalStateException("not " + seq + ": " + message);
      }
      return message.get("msgId").asText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The newest committed value of {@code key}, as JSON. */
  Optional<JsonNode> newest(Topics topic, String key) {
    Optional<JsonNode> newest = Optional.empty();
    for (ConsumerRecord<byte[], byte[]> r : committed(topic)) {
      if (new String(r.key(), StandardCharsets.UTF_8).equals(key)) {
        try {
          newest = Optional.of(JSON.readTree(r.value()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return newest;
  }

  static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
  }

  /** Writes one record and waits until it is stored. */
  RecordMetadata write(
      Topics topic, @Nullable Integer partition, @Nullable String key, byte[] value)
      throws InterruptedException {
    byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
    return write(new ProducerRecord<>(topic.topic(), partition, keyBytes, value));
  }

  /** Writes a record that looks as if it had been moved before. */
  RecordMetadata writeForwarded(Topics topic, int partition, String key, byte[] value)
      throws InterruptedException {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic.topic(), partition, key.getBytes(StandardCharsets.UTF_8), value);
    record.headers().add(DeliveryHeaders.FORWARDED, new byte[] {'x'});
    return write(record);
  }

  /** Writes a record that looks as if it had been moved; the original was written at {@code ms}. */
  RecordMetadata writeForwardedAt(Topics topic, String key, byte[] value, long ms)
      throws InterruptedException {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic.topic(), null, key.getBytes(StandardCharsets.UTF_8), value);
    record.headers().add(DeliveryHeaders.FORWARDED, new byte[] {'x'});
    record
        .headers()
        .add(DeliveryHeaders.FORWARDED_TIME, Long.toString(ms).getBytes(StandardCharsets.US_ASCII));
    return write(record);
  }

  private RecordMetadata write(ProducerRecord<byte[], byte[]> record) throws InterruptedException {
    try {
      return Objects.requireNonNull(producer.send(record).get());
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
