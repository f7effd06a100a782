package dev.holdfast.edge.channel;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The newest event of each key of a partition, within a bound of its own and one of all. Once it is
 * beyond either it keeps nothing.
 */
final class LatestValues {
  private final long maxBytes;
  private final Room room;
  private final Map<String, ChannelEvent> byKey = new HashMap<>();
  private long bytes;
  private boolean newcomer = true;
  private boolean closed;
  private @Nullable String overflow;

  LatestValues(long maxBytes, Room room) {
    this.maxBytes = maxBytes;
    this.room = room;
  }

  /** A tombstone ends its key. */
  void put(ChannelEvent event) {
    if (closed) {
      return;
    }
    ChannelEvent before =
        event.tombstone() ? byKey.remove(event.key()) : byKey.put(event.key(), event);
    int more = (event.tombstone() ? 0 : event.bytes()) - (before == null ? 0 : before.bytes());
    bytes += more;
    room.values(more);
    if (more > 0 && bytes > maxBytes) {
      overflow = "take more than the " + (maxBytes >> 20) + " MiB that an edge keeps of one";
    } else if (more > 0 && room.full(newcomer)) {
      overflow = "do not fit into the edge's memory for channels; raise --channels-mb";
    }
    if (overflow != null) {
      close();
    }
  }

  @Nullable ChannelEvent of(String key) {
    return byKey.get(key);
  }

  /** All that was there is read: what comes now are changes. */
  void start() {
    newcomer = false;
  }

  /** Why it cannot be kept, as the end of a sentence about the values; null when it can. */
  @Nullable String overflow() {
    return overflow;
  }

  /** Keeps nothing any more. */
  void close() {
    closed = true;
    byKey.clear();
    room.values(-bytes);
    bytes = 0;
  }
}
