package dev.holdfast.testkit.process;

import dev.holdfast.testkit.process.PhoneLog.Sent;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a phone has to send, in order, until the server has it. After a retryable refusal only the
 * oldest goes out again until it is accepted: the server refuses what would overtake it.
 */
final class Outbox {
  private static final int UNDER_WAY = 32;

  private final Map<String, Entry> waiting = new LinkedHashMap<>();
  private boolean probing;

  private static final class Entry {
    final String frame;
    final List<String> to;
    final String payload;
    final long createdNanos;
    boolean underWay;

    Entry(String frame, List<String> to, String payload, long createdNanos) {
      this.frame = frame;
      this.to = to;
      this.payload = payload;
      this.createdNanos = createdNanos;
    }
  }

  void add(String clientMsgId, String frame, List<String> to, String payload, long nowNanos) {
    waiting.put(clientMsgId, new Entry(frame, to, payload, nowNanos));
  }

  /** A new connection: everything goes again, the same ids in the same order. */
  void reconnected() {
    probing = false;
    waiting.values().forEach(e -> e.underWay = false);
  }

  /** A retryable refusal; {@link #retry} later. */
  void refused() {
    probing = true;
    waiting.values().forEach(e -> e.underWay = false);
  }

  /** The frames to write now. */
  List<String> due() {
    if (probing) {
      return List.of();
    }
    List<String> frames = new ArrayList<>();
    int underWay = 0;
    for (Iterator<Entry> it = waiting.values().iterator(); it.hasNext() && underWay < UNDER_WAY; ) {
      Entry entry = it.next();
      if (!entry.underWay) {
        entry.underWay = true;
        frames.add(entry.frame);
      }
      underWay++;
    }
    return frames;
  }

  /** The oldest frame, to be tried again after {@link #refused}. */
  List<String> retry() {
    if (!probing || waiting.isEmpty()) {
      return List.of();
    }
    Entry oldest = waiting.values().iterator().next();
    oldest.underWay = true;
    return List.of(oldest.frame);
  }

  /** The server has it. Empty when that was known. */
  Optional<Sent> accepted(String clientMsgId, String msgId, long nowNanos) {
    Entry entry = waiting.remove(clientMsgId);
    if (entry == null) {
      return Optional.empty();
    }
    probing = false;
    return Optional.of(
        new Sent(clientMsgId, msgId, entry.to, entry.payload, entry.createdNanos, nowNanos));
  }

  /** Refused for good. */
  void rejected(String clientMsgId) {
    waiting.remove(clientMsgId);
    probing = false;
  }

  int size() {
    return waiting.size();
  }
}
