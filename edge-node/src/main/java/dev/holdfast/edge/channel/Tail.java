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
  private final Deque<ChannelEvent> order = new ArrayDeque<>();
  private final Map<String, ArrayDeque<ChannelEvent>> byKey = new HashMap<>();
  private long from;
  private long bytes;

  Tail(int maxBytes, int maxRecords) {
    this.maxBytes = maxBytes;
    this.maxRecords = maxRecords;
  }

  /** Begins to be complete at {@code offset}. */
  void start(long offset) {
    from = offset;
  }

  /** First offset from which nothing is missing. */
  long from() {
    return from;
  }

  void add(ChannelEvent event) {
    order.add(event);
    byKey.computeIfAbsent(event.key(), key -> new ArrayDeque<>(2)).add(event);
    bytes += event.bytes();
    while ((bytes > maxBytes || order.size() > maxRecords) && order.size() > 1) {
      drop(order.remove());
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
    ArrayDeque<ChannelEvent> events = byKey.get(oldest.key());
    if (events != null) {
      events.remove();
      if (events.isEmpty()) {
        byKey.remove(oldest.key());
      }
    }
  }
}
