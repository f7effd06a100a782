package dev.holdfast.edge.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channel.Namespace.KeyHash;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Keys lie where their writers put them. The numbers are those of librdkafka's own test of its
 * partitioners ({@code consistent} and {@code murmur2}, tests/0048-partitioner.c), and the check
 * value of CRC-32.
 */
class KeyHashesTest {
  private static final String LONG = "this is another string with more length to it perhaps";

  @Test
  @DisplayName("crc32: librdkafka's consistent, also where the hash has its highest bit set")
  void crc32() {
    check(
        KeyHash.CRC32,
        Map.of(
            "",
            0L,
            "23456",
            0xb1b451d7L,
            LONG,
            0xb0150df7L,
            "hejsan",
            0xd077037eL,
            "123456789",
            0xcbf43926L));
  }

  @Test
  @DisplayName("murmur2: Kafka's Java clients")
  void murmur2() {
    check(
        KeyHash.MURMUR2,
        Map.of("", 0x106e08d9L, "23456", 0x058d780fL, LONG, 0x4f7703daL, "hejsan", 0x5ec19395L));
  }

  private static void check(KeyHash hash, Map<String, Long> known) {
    known.forEach(
        (key, value) -> {
          for (int partitions : new int[] {1, 2, 7, 17, 1_000, Integer.MAX_VALUE}) {
            assertThat(KeyHashes.partition(hash, key.getBytes(UTF_8), partitions))
                .as("%s of %s in %s", hash, key, partitions)
                .isEqualTo((int) (value % partitions));
          }
        });
  }
}
