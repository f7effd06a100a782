package dev.holdfast.edge.channel;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The message ids of a partition's newest records. A record is a repeat when its id stands in one
 * of the {@code size} offsets before it: a rule of offsets alone, so that every reader that began
 * at least that far back decides alike. Offsets are offered in order; those that were offered
 * before may be asked about again.
 */
final class RepeatWindow {
  private record Seen(long offset, String msgId) {}

  /** Estimated bytes of an id beside its characters, high: two entries, an offset, two objects. */
  private static final long ENTRY = 160;

  private final int size;
  private final LongConsumer room;
  private final Map<String, Long> newest = new HashMap<>();
  private final Queue<Seen> order = new ArrayDeque<>();
  private final Set<Long> repeats = new HashSet<>();
  private long next;
  private long bytes;

  /**
   * @param size 0: nothing is ever a repeat
   * @param room told how many estimated bytes more it takes, or less
   */
  RepeatWindow(int size, LongConsumer room) {
    this.size = size;
    this.room = room;
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
      takes(-cost(oldest.msgId()));
      oldest = order.peek();
    }
    boolean repeat = newest.put(msgId, offset) != null;
    order.add(new Seen(offset, msgId));
    takes(cost(msgId));
    if (repeat) {
      repeats.add(offset);
    }
    return repeat;
  }

  private static long cost(String msgId) {
    return ENTRY + msgId.length();
  }

  private void takes(long more) {
    bytes += more;
    room.accept(more);
  }

  /** Keeps nothing any more, and is not offered anything either. */
  void close() {
    order.clear();
    newest.clear();
    repeats.clear();
    takes(-bytes);
  }
}
