package dev.holdfast.edge.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Kafka clients' settings that hold for every station, each with its reason. The operator's {@code
 * overrides} win, but for what a consumer must do.
 */
public final class ClientSettings {
  private ClientSettings() {}

  /**
   * What every client has.
   *
   * @param own what this one has besides
   * @param overrides the operator's
   */
  public static Map<String, Object> client(
      String bootstrap, String clientId, Map<String, Object> own, Map<String, String> overrides) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId);
    settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG, 50L);
    settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000L);
    settings.putAll(own);
    settings.putAll(overrides);
    return settings;
  }

  /**
   * What every consumer has: it belongs to no group and is told where to read, whatever the
   * operator's {@code overrides} say.
   *
   * @param isolation {@code read_committed} or {@code read_uncommitted}
   */
  public static Map<String, Object> consumer(
      String bootstrap,
      String clientId,
      String isolation,
      Map<String, Object> own,
      Map<String, String> overrides) {
    Map<String, Object> settings = client(bootstrap, clientId, own, overrides);
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
    // A position that is gone must be noticed, not skipped.
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return settings;
  }

  /** What every producer has. */
  public static Map<String, Object> producer(
      String bootstrap, String clientId, Map<String, Object> own, Map<String, String> overrides) {
    Map<String, Object> settings = new HashMap<>();
    // "sent" means: on all in-sync replicas, once, in order.
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    // A record that expired inside while later ones go on would be overtaken.
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
    settings.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    // What comes while a request is under way goes together in the next: no wait when there is
    // little to do, few requests when there is much.
    settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 * 1024);
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "none");
    settings.putAll(own);
    return client(bootstrap, clientId, settings, overrides);
  }
}
