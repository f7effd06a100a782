package dev.holdfast.edge.channel;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The message ids of a partition's newest records. A record is a repeat when its id stands in one
 * of the {@code size} offsets before it: a rule of offsets alone, so that every reader that began
 * at least that far back decides alike. Offsets are offered in order.
 */
final class RepeatWindow {
  private record Seen(long offset, String msgId) {}

  private final int size;
  private final Map<String, Long> newest = new HashMap<>();
  private final Queue<Seen> order = new ArrayDeque<>();

  /**
   * @param size 0: nothing is ever a repeat
   */
  RepeatWindow(int size) {
    this.size = size;
  }

  /** How far back a reader begins, so that it decides rightly from {@code offset} on. */
  long begin(long offset) {
    return Math.max(0, offset - size);
  }

  /** Notes a record; returns whether it repeats another. */
  boolean repeats(long offset, @Nullable String msgId) {
    if (size == 0 || msgId == null) {
      return false;
    }
    Seen oldest = order.peek();
    while (oldest != null && offset - oldest.offset() > size) {
      order.remove();
      newest.remove(oldest.msgId(), oldest.offset());
      oldest = order.peek();
    }
    boolean repeat = newest.put(msgId, offset) != null;
    order.add(new Seen(offset, msgId));
    return repeat;
  }
}
