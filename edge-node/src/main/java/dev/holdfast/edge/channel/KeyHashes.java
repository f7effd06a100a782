package dev.holdfast.edge.channel;

import dev.holdfast.channel.Namespace.KeyHash;
import java.util.zip.CRC32;
import org.apache.kafka.common.utils.Utils;

/** Which partition a key belongs to. */
final class KeyHashes {
  private KeyHashes() {}

  /** The partition that a topic's writers choose for a key. */
  static int partition(KeyHash hash, byte[] key, int partitions) {
    if (hash == KeyHash.MURMUR2) {
      return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }
    CRC32 crc = new CRC32();
    crc.update(key);
    return (int) (crc.getValue() % partitions);
  }
}
