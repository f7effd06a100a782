package dev.holdfast.edge.channel;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The Kafka clients' settings, each with its reason. */
final class ChannelSettings {
  /** Bytes that may be on their way to channels; beyond: {@code overloaded}. */
  static final long BUFFER_BYTES = 32L * 1024 * 1024;

  private ChannelSettings() {}

  /** What every client has. */
  static Map<String, Object> client(
      String bootstrap, String clientId, Map<String, String> overrides) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId);
    settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG, 50L);
    settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000L);
    settings.putAll(overrides);
    return settings;
  }

  static Map<String, Object> consumer(
      String bootstrap, String clientId, Map<String, String> overrides) {
    Map<String, Object> settings = new HashMap<>();
    // What a transaction took back was never an event.
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    // A hole must be told to subscribers, not skipped.
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 500);
    settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 1024 * 1024);
    settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 16 * 1024 * 1024);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 500);
    settings.putAll(client(bootstrap, clientId, overrides));
    return settings;
  }

  static Map<String, Object> producer(
      String bootstrap, String clientId, Map<String, String> overrides) {
    Map<String, Object> settings = new HashMap<>();
    // "sent" means: on all in-sync replicas, once, in order.
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    // A record that expired inside while later ones go on would be overtaken.
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
    settings.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
    // Never waits: whoever publishes holds a connection's lock. Without metadata, or with a full
    // buffer, the message is refused and may come again.
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0L);
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    // A topic's metadata, once there, stays; the first event after a quiet night is no exception.
    settings.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, 86_400_000L);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 * 1024);
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "none");
    settings.putAll(client(bootstrap, clientId, overrides));
    return settings;
  }
}
