package dev.holdfast.edge.session;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A refused {@code send} is not overtaken (D8): after a retryable error on one, the connection's
 * later sends are refused until that {@code clientMsgId} comes again. Kafka may refuse several that
 * were under way; then they are let through again in the order in which they first came, for one of
 * them may be refused once more. Bounded by what is under way. Not thread-safe.
 */
public final class SendGate {
  private final Map<String, Long> places = new HashMap<>();
  private final TreeMap<Long, String> refused = new TreeMap<>();
  private long count;

  /** Whether a send with this id may go now; otherwise it is {@code out_of_order}. */
  public boolean admits(String clientMsgId) {
    return refused.isEmpty() || refused.firstEntry().getValue().equals(clientMsgId);
  }

  /** The send went on its way. */
  public void accepted(String clientMsgId) {
    refused.remove(place(clientMsgId));
  }

  /** The send was answered with a retryable error. */
  public void refused(String clientMsgId) {
    refused.put(place(clientMsgId), clientMsgId);
  }

  /** The send was answered with {@code sent}. */
  public void stored(String clientMsgId) {
    Long place = places.remove(clientMsgId);
    if (place != null) {
      refused.remove(place);
    }
  }

  /** Whether later sends are held off. */
  public boolean shut() {
    return !refused.isEmpty();
  }

  private long place(String clientMsgId) {
    return places.computeIfAbsent(clientMsgId, id -> count++);
  }
}
