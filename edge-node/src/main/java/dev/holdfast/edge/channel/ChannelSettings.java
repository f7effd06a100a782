package dev.holdfast.edge.channel;

import dev.holdfast.edge.kafka.ClientSettings;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What the Kafka clients of channels have besides {@link ClientSettings}, each with its reason. */
final class ChannelSettings {
  /** Bytes that may be on their way to channels; beyond: {@code overloaded}. */
  static final long BUFFER_BYTES = 32L * 1024 * 1024;

  /** Milliseconds after which a producer asks again how many partitions its topics have. */
  private static final long METADATA_MS = 2_000;

  /** Most bytes of a partition in one answer to who follows it. */
  static final int FOLLOW_BYTES = 1024 * 1024;

  /** Most bytes in one answer, of all partitions that are followed. */
  private static final int ANSWER_BYTES = 16 * 1024 * 1024;

  /**
   * The same for who reads again what is older, over and over while many catch up. Each answer is
   * one array: from 512 KiB on, G1 gives it regions of its own in heaps of up to 2 GiB, and began
   * to mark the heap for it, twice a second.
   */
  static final int REREAD_BYTES = 448 * 1024;

  private static final int POLL_RECORDS = 500;

  private static final Map<String, Object> PRODUCER =
      Map.of(
          // Never waits: whoever publishes holds a connection's lock. Without metadata, or with a
          // full buffer, the message is refused and may come again.
          ProducerConfig.MAX_BLOCK_MS_CONFIG,
          0L,
          ProducerConfig.BUFFER_MEMORY_CONFIG,
          BUFFER_BYTES,
          // A topic's metadata, once there, stays; the first event after a quiet night is no
          // exception.
          ProducerConfig.METADATA_MAX_IDLE_CONFIG,
          86_400_000L);

  private ChannelSettings() {}

  static Map<String, Object> client(
      String bootstrap, String clientId, Map<String, String> overrides) {
    return ClientSettings.client(bootstrap, clientId, Map.of(), overrides);
  }

  /** What a client measures of itself. */
  static Metric metric(Map<MetricName, ? extends Metric> metrics, String name) {
    return metrics.values().stream()
        .filter(metric -> metric.metricName().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /**
   * A consumer of what is committed: what a transaction took back was never an event.
   *
   * @param fetchWaitMs most milliseconds that a read waits at the broker where there is nothing
   * @param fetchBytes most bytes of a partition in one answer
   */
  static KafkaConsumer<byte[], byte[]> consumer(
      String bootstrap,
      String clientId,
      int fetchWaitMs,
      int fetchBytes,
      Map<String, String> overrides) {
    boolean rereads = fetchBytes == REREAD_BYTES;
    Map<String, Object> own = new HashMap<>();
    own.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLL_RECORDS);
    own.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, fetchBytes);
    own.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, rereads ? REREAD_BYTES : ANSWER_BYTES);
    own.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, fetchWaitMs);
    return new KafkaConsumer<>(
        ClientSettings.consumer(bootstrap, clientId, "read_committed", own, overrides),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  static Map<String, Object> producer(
      String bootstrap, String clientId, Map<String, String> overrides) {
    Map<String, Object> settings =
        ClientSettings.producer(bootstrap, clientId, PRODUCER, overrides);
    // Whatever the operator's overrides say: ChannelPublisher must hear soon of more partitions.
    settings.put(ProducerConfig.METADATA_MAX_AGE_CONFIG, METADATA_MS);
    return settings;
  }
}
