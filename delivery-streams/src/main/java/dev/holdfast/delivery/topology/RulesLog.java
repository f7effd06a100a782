package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventReader;
import dev.holdfast.record.EventWriter;
import dev.holdfast.record.Rules;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Rules where they count, in every partition of the log, and where they can be looked up, in a
 * small compacted topic of their own: the log's old records go, and reading all of it to show a
 * number would take minutes.
 */
final class RulesLog {
  private static final byte[] KEY = "rules".getBytes(StandardCharsets.US_ASCII);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String bootstrap;
  private final Map<String, String> kafka;

  RulesLog(String bootstrap, Map<String, String> kafka) {
    this.bootstrap = bootstrap;
    this.kafka = kafka;
  }

  /** The newest rules that were written, if any. */
  Optional<Rules> newest() {
    Rules rules = null;
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      TopicPartition tp = new TopicPartition(Topics.RULES.topic(), 0);
      long end = end(consumer, tp);
      consumer.assign(List.of(tp));
      consumer.seekToBeginning(List.of(tp));
      while (consumer.position(tp, PATIENCE) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          if (EventReader.read(record.value()) instanceof Event.RulesChange change) {
            rules = change.rules();
          }
        }
      }
      return Optional.ofNullable(rules);
    } catch (BadRecord e) {
      throw new StartRefused(
          "topic " + Topics.RULES.topic() + " holds something else than rules: " + e.detail(), e);
    }
  }

  /** Writes to the partitions that are still empty, and to the rules' own topic if that is. */
  void writeWhereNew(Rules rules) {
    List<TopicPartition> empty = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      for (int p = 0; p < rules.partitions(); p++) {
        TopicPartition tp = new TopicPartition(Topics.EVENTS.topic(), p);
        if (end(consumer, tp) == 0) {
          empty.add(tp);
        }
      }
      TopicPartition own = new TopicPartition(Topics.RULES.topic(), 0);
      if (end(consumer, own) == 0) {
        empty.add(own);
      }
    }
    write(rules, empty);
  }

  /** Writes to every partition of the log, then to the rules' own topic. */
  void writeEverywhere(Rules rules) {
    List<TopicPartition> all = new ArrayList<>();
    for (int p = 0; p < rules.partitions(); p++) {
      all.add(new TopicPartition(Topics.EVENTS.topic(), p));
    }
    write(rules, all);
    write(rules, List.of(new TopicPartition(Topics.RULES.topic(), 0)));
  }

  private void write(Rules rules, List<TopicPartition> where) {
    if (where.isEmpty()) {
      return;
    }
    byte[] value = EventWriter.write(new Event.RulesChange(rules));
    Map<String, Object> props = new HashMap<>();
    props.put("bootstrap.servers", bootstrap);
    props.put("acks", "all");
    // With several at once a broker that has just become leader may take the second and never the
    // first, as on a topic just made.
    props.put("max.in.flight.requests.per.connection", 1);
    props.putAll(kafka);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(props, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<?>> sent = new ArrayList<>();
      for (TopicPartition tp : where) {
        byte[] key = tp.topic().equals(Topics.RULES.topic()) ? KEY : null;
        sent.add(producer.send(new ProducerRecord<>(tp.topic(), tp.partition(), key, value)));
      }
      for (Future<?> one : sent) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new StartRefused(
          "rules were not written everywhere; run the same command again: " + StartRefused.said(e),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefused("interrupted while writing rules; run the same command again", e);
    }
  }

  private static long end(KafkaConsumer<byte[], byte[]> consumer, TopicPartition tp) {
    Long end = consumer.endOffsets(List.of(tp), PATIENCE).get(tp);
    return end == null ? 0 : end;
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    Map<String, Object> props = new HashMap<>();
    props.put("bootstrap.servers", bootstrap);
    props.put("enable.auto.commit", "false");
    props.put("fetch.max.wait.ms", "50");
    props.putAll(kafka);
    return new KafkaConsumer<>(props, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
