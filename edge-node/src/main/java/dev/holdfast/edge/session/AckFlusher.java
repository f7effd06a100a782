package dev.holdfast.edge.session;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Sessions that hold an acknowledgement back, in the order in which they began to. All wait equally
 * long, so the head is always the next one due and nothing else need be looked at.
 */
public final class AckFlusher {
  private record Held(Session session, long dueAtMs) {}

  private final Queue<Held> held = new ConcurrentLinkedQueue<>();

  /** Remembers a session; it is not to be added again before its turn came. */
  void add(Session session, long dueAtMs) {
    held.add(new Held(session, dueAtMs));
  }

  /** Lets every session whose time has come report. To be called by one thread at a time. */
  public void flush(long nowMs) {
    Held head = held.peek();
    while (head != null && head.dueAtMs() <= nowMs) {
      held.poll();
      head.session().flushAcks(nowMs);
      head = held.peek();
    }
  }
}
