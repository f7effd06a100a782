package dev.holdfast.bench;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The floor: the same payloads, producer → topic → consumer, with nothing between. */
final class Floor implements AutoCloseable {
  private static final String TOPIC = "bench-floor";

  private final KafkaProducer<byte[], byte[]> producer;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Figures figures = new Figures();
  private final Thread reader = new Thread(this::read, "floor");
  private volatile boolean stopped;

  Floor(String bootstrap) throws InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin
          .createTopics(List.of(new NewTopic(TOPIC, Optional.of(1), Optional.empty())))
          .all()
          .get(30, TimeUnit.SECONDS);
    } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException("cannot make " + TOPIC, e);
    }
    Map<String, Object> settings =
        Map.of("bootstrap.servers", bootstrap, "acks", "all", "linger.ms", "0");
    producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    TopicPartition only = new TopicPartition(TOPIC, 0);
    consumer.assign(List.of(only));
    consumer.seekToEnd(List.of(only));
    long unused = consumer.position(only);
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    while (!stopped) {
      for (ConsumerRecord<byte[], byte[]> r : consumer.poll(Duration.ofMillis(100))) {
        String text = new String(r.value(), StandardCharsets.UTF_8);
        int at = text.indexOf("\"due\":") + 6;
        figures.since(Long.parseLong(text.substring(at, text.indexOf(',', at))));
      }
    }
    consumer.close();
  }

  String run(int perSecond, int seconds) {
    figures.reset();
    Pace.run(perSecond, seconds, (n, due) -> send(due));
    producer.flush();
    return figures.text();
  }

  /** Writes one that was due then. */
  void send(long dueNanos) {
    byte[] value = Payload.with(dueNanos).getBytes(StandardCharsets.UTF_8);
    var unused = producer.send(new ProducerRecord<>(TOPIC, value));
  }

  /** From due to received. */
  Figures latency() {
    return figures;
  }

  @Override
  public void close() {
    stopped = true;
    try {
      reader.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producer.close(Duration.ofSeconds(5));
  }
}
