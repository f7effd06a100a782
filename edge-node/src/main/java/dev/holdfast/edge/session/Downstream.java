package dev.holdfast.edge.session;

import dev.holdfast.edge.session.DeliveryFilter.Verdict;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.record.Event;
import dev.holdfast.record.FrameBatch;
import dev.holdfast.record.Welcome;
import org.jspecify.annotations.Nullable;

/**
 * One connection's messages after its welcome: filter, acknowledgements, the one {@code sync}, and
 * whether the client is stalled. Runs under its session's lock.
 */
final class Downstream {
  private final Session session;
  private final SessionContext context;
  private final Who who;
  private final DeliveryFilter filter = new DeliveryFilter();
  private final AckCoalescer acks = new AckCoalescer();
  private long from;
  private boolean synced;
  private boolean inFlusher;
  private boolean held;
  private long heldSinceMs;

  Downstream(Session session, SessionContext context, Who who) {
    this.session = session;
    this.context = context;
    this.who = who;
  }

  void start(Welcome welcome) {
    from = welcome.from();
    filter.start(from);
    acks.start(from);
    String reason = welcome.reason();
    context.counters().welcomes.count(reason == null ? "resumed" : reason);
  }

  /** Newest seq that went to the socket, or the client's own cursor. */
  long newestSent(Transport transport) {
    return Math.max(from, transport.handedSeq());
  }

  /**
   * Messages as the frames that go to the socket.
   *
   * @param first seq of the first
   * @param frames a {@link FrameBatch}
   */
  void messages(long first, byte[] frames, long nowMs) {
    long seq = first;
    int from = 0;
    while (from <= frames.length && session.live()) {
      int end = FrameBatch.end(frames, from);
      message(seq++, FrameBatch.frame(frames, from, end), nowMs);
      from = end + 1;
    }
  }

  private void message(long seq, byte[] frame, long nowMs) {
    if (acks.acked() >= filter.last()) {
      // There was nothing to acknowledge so far, however long the log took.
      heldSinceMs = nowMs;
    }
    Verdict verdict = filter.offer(seq, nowMs);
    switch (verdict) {
      case PASS -> session.replies().send(frame, seq);
      case REPEAT -> context.counters().repeatsDropped.increment();
      case GAP, GAP_RESYNC -> context.counters().gaps.increment();
    }
    if (verdict == Verdict.GAP_RESYNC) {
      resync();
    }
  }

  void sync(long cursor, byte[] frame, long nowMs) {
    if (synced) {
      return;
    }
    if (filter.last() < cursor) {
      announced(cursor, nowMs);
      return;
    }
    synced = true;
    acks.synced();
    session.replies().send(frame, 0);
  }

  void ack(long seq, long nowMs) {
    if (seq > filter.last()) {
      session
          .replies()
          .refuse(
              ErrorCode.ACK_BEYOND_SENT,
              "this connection was sent nothing above " + filter.last(),
              null,
              null,
              -1);
      return;
    }
    if (seq > acks.acked()) {
      held = false;
    }
    report(acks.ack(seq, filter.last(), nowMs));
  }

  /** What the log sent must have come; if the last of it did not, no later message tells. */
  private void announced(long seq, long nowMs) {
    if (filter.announced(seq, nowMs)) {
      context.counters().gaps.increment();
      resync();
    }
  }

  /** The window is full: from now on only an acknowledgement keeps the connection. */
  void held(long sent, long nowMs) {
    announced(sent, nowMs);
    if (!held) {
      held = true;
      heldSinceMs = nowMs;
    }
    report(acks.full(filter.last(), nowMs));
  }

  /**
   * Whether the client left a full window unacknowledged for too long. A late copy of {@code HELD}
   * can come after the last acknowledgement; with nothing outstanding it means nothing.
   */
  boolean stalled(long nowMs) {
    return held
        && acks.acked() < filter.last()
        && nowMs - heldSinceMs > context.limits().stalledMs();
  }

  void flushAcks(long nowMs) {
    inFlusher = false;
    report(acks.due(nowMs));
  }

  /** The connection ends: what is held back goes first. */
  void finish(long nowMs) {
    long seq = acks.flush(nowMs);
    if (seq != AckCoalescer.NONE) {
      offer(who.ack(seq), null);
    }
  }

  void sweep(long nowMs) {
    if (filter.resyncDue(nowMs)) {
      resync();
    }
  }

  private void report(long seq) {
    if (seq != AckCoalescer.NONE && !offer(who.ack(seq), stored -> ackDone(seq, stored))) {
      acks.notTaken();
    }
    holdBack();
  }

  /** Kafka's word on an acknowledgement; without it a full window would stay shut for ever. */
  private void ackDone(long seq, boolean stored) {
    if (!stored) {
      session.whileLive(
          () -> {
            acks.notStored(seq);
            holdBack();
          });
    }
  }

  private void holdBack() {
    if (acks.pending() && !inFlusher) {
      inFlusher = true;
      context.flusher().add(session, acks.dueAtMs());
    }
  }

  private void resync() {
    offer(who.resync(filter.last(), synced), null);
  }

  private boolean offer(Event event, EventSink.@Nullable Outcome outcome) {
    boolean taken = context.sink().offer(who.key(), event, outcome);
    if (!taken) {
      context.counters().eventsDropped.increment();
    }
    return taken;
  }
}
