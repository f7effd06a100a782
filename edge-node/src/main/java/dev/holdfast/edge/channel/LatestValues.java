package dev.holdfast.edge.channel;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The newest event of each key of a partition, within a bound. */
final class LatestValues {
  private final long maxBytes;
  private final Map<String, ChannelEvent> byKey = new HashMap<>();
  private long bytes;

  LatestValues(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** A tombstone ends its key. */
  void put(ChannelEvent event) {
    ChannelEvent before =
        event.tombstone() ? byKey.remove(event.key()) : byKey.put(event.key(), event);
    bytes += (event.tombstone() ? 0 : event.bytes()) - (before == null ? 0 : before.bytes());
  }

  @Nullable ChannelEvent of(String key) {
    return byKey.get(key);
  }

  /** Whether it is beyond its bound, so that it cannot be kept. */
  boolean overflown() {
    return bytes > maxBytes;
  }

  long bytes() {
    return bytes;
  }
}
