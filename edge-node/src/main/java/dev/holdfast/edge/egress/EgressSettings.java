package dev.holdfast.edge.egress;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** The consumer's settings, each with its reason. */
final class EgressSettings {
  private EgressSettings() {}

  /** What every client of this package has. */
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
    // Deliveries are passed on before their transaction commits (D4); repeats die in the filter.
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    // A hole in the deliveries must be noticed, not skipped.
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 500);
    settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 4 * 1024 * 1024);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 2_000);
    settings.putAll(client(bootstrap, clientId, overrides));
    return settings;
  }
}
