package dev.holdfast.edge.egress;

import dev.holdfast.edge.kafka.ClientSettings;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** What this station's consumers have besides {@link ClientSettings}, each with its reason. */
final class EgressSettings {
  private static final Map<String, Object> CONSUMER =
      Map.of(
          ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
          4 * 1024 * 1024,
          ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
          2_000);

  private EgressSettings() {}

  static Map<String, Object> client(
      String bootstrap, String clientId, Map<String, String> overrides) {
    return ClientSettings.client(bootstrap, clientId, Map.of(), overrides);
  }

  static Map<String, Object> consumer(
      String bootstrap, String clientId, Map<String, String> overrides) {
    // Deliveries are passed on before their transaction commits (D4); repeats die in the filter.
    return ClientSettings.consumer(bootstrap, clientId, "read_uncommitted", CONSUMER, overrides);
  }
}
