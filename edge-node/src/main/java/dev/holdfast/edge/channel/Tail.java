package dev.holdfast.edge.channel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The newest events of a partition, by key, within a bound. It is complete from {@link #from} on:
 * whoever stands there or later needs nothing older.
 */
final class Tail {
  private final int maxBytes;
  private final int maxRecords;
  private final Room room;
  private final Deque<ChannelEvent> order = new ArrayDeque<>();
  private final Map<String, ArrayDeque<ChannelEvent>> byKey = new HashMap<>();
  private long from;
  private long bytes;
  private boolean counted;

  Tail(int maxBytes, int maxRecords, Room room) {
    this.maxBytes = maxBytes;
    this.maxRecords = maxRecords;
    this.room = room;
  }

  /** Begins to be complete at {@code offset}. */
  void start(long offset) {
    from = offset;
    if (!counted) {
      counted = true;
      room.tailCount(1);
    }
  }

  /** First offset from which nothing is missing. */
  long from() {
    return from;
  }

  void add(ChannelEvent event) {
    order.add(event);
    byKey.computeIfAbsent(event.key(), key -> new ArrayDeque<>(2)).add(event);
    bytes += event.bytes();
    room.tails(event.bytes());
    shrink();
  }

  /** Drops what is beyond its bound, or beyond its share where all tails are beyond theirs. */
  void shrink() {
    while ((bytes > room.share(maxBytes) || order.size() > maxRecords) && !order.isEmpty()) {
      drop(order.remove());
    }
  }

  /** Keeps nothing any more; it may never have begun. */
  void close() {
    order.clear();
    byKey.clear();
    room.tails(-bytes);
    bytes = 0;
    if (counted) {
      counted = false;
      room.tailCount(-1);
    }
  }

  /** The events of a key, oldest first; empty when there is none. */
  Iterable<ChannelEvent> of(String key) {
    ArrayDeque<ChannelEvent> events = byKey.get(key);
    return events == null ? List.of() : events;
  }

  /** Records that are kept. */
  int size() {
    return order.size();
  }

  private void drop(ChannelEvent oldest) {
    from = oldest.offset() + 1;
    bytes -= oldest.bytes();
    room.tails(-oldest.bytes());
    ArrayDeque<ChannelEvent> events = byKey.get(oldest.key());
    if (events != null) {
      events.remove();
      if (events.isEmpty()) {
        byKey.remove(oldest.key());
      }
    }
  }
}
