package dev.holdfast.edge.session;

import java.util.HashSet;
import java.util.Set;

/**
 * A refused {@code send} is not overtaken (D8): after a retryable error on one, the connection's
 * later sends are refused until that {@code clientMsgId} comes again. Several can be out at once
 * only when Kafka refused several that were already under way; the set is bounded by those. Not
 * thread-safe.
 */
public final class SendGate {
  private final Set<String> refused = new HashSet<>();

  /** Whether a send with this id may go now; otherwise it is {@code out_of_order}. */
  public boolean admits(String clientMsgId) {
    return refused.isEmpty() || refused.contains(clientMsgId);
  }

  /** The send went on its way. */
  public void accepted(String clientMsgId) {
    refused.remove(clientMsgId);
  }

  /** The send was answered with a retryable error. */
  public void refused(String clientMsgId) {
    refused.add(clientMsgId);
  }

  /** Whether later sends are held off. */
  public boolean shut() {
    return !refused.isEmpty();
  }
}
