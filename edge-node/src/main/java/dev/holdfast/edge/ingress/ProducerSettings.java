package dev.holdfast.edge.ingress;

import dev.holdfast.Limits;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The producer's settings, each with its reason. */
final class ProducerSettings {
  private static final long LEAST_BUFFER = 32L * 1024 * 1024;

  private ProducerSettings() {}

  static Map<String, Object> of(
      String bootstrap, String edgeId, Limits limits, Map<String, String> overrides) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(ProducerConfig.CLIENT_ID_CONFIG, "holdfast-ingress-" + edgeId);
    // "sent" means: on all in-sync replicas, once, in order.
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    // A record that expired inside while later ones go on would be overtaken.
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
    settings.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
    // Only the publisher thread waits, in front of a bounded queue, and not for one partition that
    // is away: the partitions' shares come to ingressBytes (PartitionBudget), batches may be half
    // empty, and rosters and disconnects come on top.
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.MAX_VALUE);
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, buffer(limits));
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    // What comes while a request is under way goes together in the next: no wait when there is
    // little to do, few requests when there is much.
    settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 * 1024);
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "none");
    settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG, 50L);
    settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000L);
    settings.putAll(overrides);
    return settings;
  }

  /** Bytes of the producer's buffer; an upper bound, taken from the heap only as needed. */
  static long buffer(Limits limits) {
    return Math.max(LEAST_BUFFER, 3L * limits.ingressBytes());
  }
}
