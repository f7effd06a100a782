package dev.holdfast.delivery.topology;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.processor.StreamPartitioner;

/**
 * Key of everything the topology emits: the user, and the partition where that is decided by number
 * (D7).
 *
 * @param partition or {@link #BY_KEY}
 */
record OutKey(String user, int partition) {
  /** Kafka's own hash of the key decides. */
  static final int BY_KEY = -1;

  static final Serializer<OutKey> SERIALIZER = (topic, key) -> key == null ? null : key.bytes();

  static final StreamPartitioner<OutKey, byte[]> PARTITIONER = new ByKey();

  byte[] bytes() {
    return user.getBytes(StandardCharsets.UTF_8);
  }

  private int choose(int partitions) {
    if (partition == BY_KEY) {
      return partitionFor(bytes(), partitions);
    }
    // A partition that does not exist (the record was written by hand) must not stop the task.
    return partition % partitions;
  }

  /** The partition that Kafka's Java producers choose for a key. */
  static int partitionFor(byte[] key, int partitions) {
    return Utils.toPositive(Utils.murmur2(key)) % partitions;
  }

  /** Asks the key. */
  private static final class ByKey implements StreamPartitioner<OutKey, byte[]> {
    @Override
    @Deprecated // Abstract still, so it must be here; Streams calls the one below.
    @SuppressWarnings("removal")
    public Optional<Set<Integer>> partitions(String topic, OutKey key, byte[] value, int n) {
      return Optional.of(Set.of(key.choose(n)));
    }

    @Override
    public Optional<Set<Integer>> partitions(
        String topic, OutKey key, byte[] value, Headers headers, int n) {
      return Optional.of(Set.of(key.choose(n)));
    }
  }
}
