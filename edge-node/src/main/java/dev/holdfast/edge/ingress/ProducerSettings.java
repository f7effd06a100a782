package dev.holdfast.edge.ingress;

import dev.holdfast.Limits;
import dev.holdfast.edge.kafka.ClientSettings;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The producer's settings, each with its reason. */
final class ProducerSettings {
  private static final long LEAST_BUFFER = 32L * 1024 * 1024;

  private ProducerSettings() {}

  static Map<String, Object> of(
      String bootstrap, String edgeId, Limits limits, Map<String, String> overrides) {
    Map<String, Object> own =
        Map.of(
            // Only the publisher thread waits, in front of a bounded queue, and not for one
            // partition that is away: the partitions' shares come to ingressBytes
            // (PartitionBudget), batches may be half empty, and rosters and disconnects come on
            // top.
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            Long.MAX_VALUE,
            ProducerConfig.BUFFER_MEMORY_CONFIG,
            buffer(limits));
    return ClientSettings.producer(bootstrap, "holdfast-ingress-" + edgeId, own, overrides);
  }

  /** Bytes of the producer's buffer; an upper bound, taken from the heap only as needed. */
  static long buffer(Limits limits) {
    return Math.max(LEAST_BUFFER, 3L * limits.ingressBytes());
  }
}
