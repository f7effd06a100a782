package dev.holdfast.testkit.it;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A topic that a test makes and writes to, as any Kafka user would. */
final class ChannelTopic implements AutoCloseable {
  private final String name;
  private final KafkaProducer<byte[], byte[]> producer;

  private ChannelTopic(String bootstrap, String name) {
    this.name = name;
    this.producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "linger.ms", 0),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  static ChannelTopic create(
      String bootstrap, String name, int partitions, Map<String, String> config)
      throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin
          .createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(config)))
          .all()
          .get();
    }
    return new ChannelTopic(bootstrap, name);
  }

  /** One that is there already. */
  static ChannelTopic of(String bootstrap, String name) {
    return new ChannelTopic(bootstrap, name);
  }

  /** Writes one record and waits for it. */
  RecordMetadata send(String key, @Nullable String value)
      throws ExecutionException, InterruptedException {
    byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    return producer
        .send(new ProducerRecord<>(name, key.getBytes(StandardCharsets.UTF_8), bytes))
        .get();
  }

  /**
   * Writes one record of any bytes and waits for it.
   *
   * @param partition where it is put; null: where Kafka's Java client puts its key
   */
  RecordMetadata put(@Nullable Integer partition, String key, byte[] value)
      throws ExecutionException, InterruptedException {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return producer.send(new ProducerRecord<>(name, partition, bytes, value)).get();
  }

  /** Writes one record; see {@link #flush}. */
  void sendOnly(String key, String value) {
    var unused =
        producer.send(
            new ProducerRecord<>(
                name,
                key.getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8)));
  }

  /** Waits for all that was written. */
  void flush() {
    producer.flush();
  }

  @Override
  public String toString() {
    return name;
  }

  @Override
  public void close() {
    producer.close();
  }
}
