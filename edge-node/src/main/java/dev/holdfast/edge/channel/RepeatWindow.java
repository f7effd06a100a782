package dev.holdfast.edge.channel;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The message ids of a partition's newest records. A record is a repeat when its id stands in one
 * of the {@code size} offsets before it: a rule of offsets alone, so that every reader that began
 * at least that far back decides alike. Offsets are offered in order; those that were offered
 * before may be asked about again.
 */
final class RepeatWindow {
  private record Seen(long offset, String msgId) {}

  private final int size;
  private final Map<String, Long> newest = new HashMap<>();
  private final Queue<Seen> order = new ArrayDeque<>();
  private final Set<Long> repeats = new HashSet<>();
  private long next;

  /**
   * @param size 0: nothing is ever a repeat
   */
  RepeatWindow(int size) {
    this.size = size;
  }

  /** The oldest offset, among those that were offered, that may be asked about again. */
  long again() {
    return size == 0 ? 0 : next - size;
  }

  /** Notes a record; returns whether it repeats another. */
  boolean repeats(long offset, @Nullable String msgId) {
    if (offset < next) {
      return repeats.contains(offset);
    }
    next = offset + 1;
    if (size == 0 || msgId == null) {
      return false;
    }
    Seen oldest = order.peek();
    while (oldest != null && offset - oldest.offset() > size) {
      order.remove();
      newest.remove(oldest.msgId(), oldest.offset());
      repeats.remove(oldest.offset());
      oldest = order.peek();
    }
    boolean repeat = newest.put(msgId, offset) != null;
    order.add(new Seen(offset, msgId));
    if (repeat) {
      repeats.add(offset);
    }
    return repeat;
  }
}
