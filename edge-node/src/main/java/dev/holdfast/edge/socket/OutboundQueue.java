package dev.holdfast.edge.socket;

import dev.holdfast.frame.CloseCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What one connection is still to be sent: a lane for pongs ahead of a lane for data, one byte
 * budget for both, a share in the node's, and a close at the end. Any thread adds; one writer at a
 * time takes. The first to add after the writer ran dry is told to wake it, nobody else is.
 */
final class OutboundQueue {
  /** Bytes that a queued frame costs beside its own. */
  static final int OVERHEAD = 48;

  /** What became of a frame. */
  enum Offer {
    /** Queued, and the writer sleeps: wake it. */
    WAKE,
    /** Queued; the writer will come by. */
    QUEUED,
    /** The budget is used up; not queued. */
    FULL,
    /** The connection is closing; dropped. */
    CLOSED
  }

  /**
   * Frames to write together.
   *
   * @param close what follows them, or null
   */
  record Batch(List<byte[]> frames, @Nullable CloseCode close) {}

  private static final class Entry {
    private final byte[] frame;
    private final long seq;

    Entry(byte[] frame, long seq) {
      this.frame = frame;
      this.seq = seq;
    }
  }

  private final int budget;
  private final NodeBudget node;
  private final Queue<Entry> control = new ArrayDeque<>(2);
  private final Queue<Entry> data = new ArrayDeque<>(4);
  private long bytes;
  private long handedSeq;
  private boolean writerAwake;
  private boolean closed;
  private @Nullable CloseCode close;

  /**
   * @param budget most bytes queued
   * @param node what all queues share; a queue that is given up must be {@link #abandon}ed
   */
  OutboundQueue(int budget, NodeBudget node) {
    this.budget = budget;
    this.node = node;
  }

  /**
   * Adds a frame at the end.
   *
   * @param seq the message's seq, or 0
   */
  synchronized Offer add(byte[] frame, long seq) {
    return add(data, frame, seq);
  }

  /** Adds a frame ahead of all data. */
  synchronized Offer addAhead(byte[] frame) {
    return add(control, frame, 0);
  }

  /** Adds the close; nothing can be added after it. A slow consumer's frames are dropped. */
  synchronized Offer close(CloseCode code) {
    if (closed) {
      return Offer.CLOSED;
    }
    closed = true;
    close = code;
    if (code == CloseCode.SLOW_CONSUMER) {
      drop();
    }
    return wake();
  }

  /** The socket is gone: drops everything. */
  synchronized void abandon() {
    closed = true;
    close = null;
    drop();
  }

  /**
   * What to write next: at least one frame and then no more than {@code maxBytes}. Null when there
   * is nothing; the writer then sleeps until it is woken.
   */
  synchronized @Nullable Batch take(int maxBytes) {
    List<byte[]> frames = new ArrayList<>();
    int taken = move(control, frames, maxBytes, 0);
    move(data, frames, maxBytes, taken);
    CloseCode end = control.isEmpty() && data.isEmpty() ? close : null;
    if (end != null) {
      close = null;
    }
    if (frames.isEmpty() && end == null) {
      writerAwake = false;
      return null;
    }
    return new Batch(frames, end);
  }

  /** Bytes that wait. */
  synchronized long queuedBytes() {
    return bytes;
  }

  /** Newest seq that was taken. */
  synchronized long handedSeq() {
    return handedSeq;
  }

  private int move(Queue<Entry> from, List<byte[]> to, int maxBytes, int alreadyTaken) {
    int taken = alreadyTaken;
    long freed = 0;
    Entry next = from.peek();
    while (next != null && (to.isEmpty() || taken + next.frame.length <= maxBytes)) {
      from.remove();
      to.add(next.frame);
      taken += next.frame.length;
      freed += next.frame.length + OVERHEAD;
      handedSeq = Math.max(handedSeq, next.seq);
      next = from.peek();
    }
    free(freed);
    return taken;
  }

  private Offer add(Queue<Entry> lane, byte[] frame, long seq) {
    if (closed) {
      return Offer.CLOSED;
    }
    int cost = frame.length + OVERHEAD;
    if (bytes + cost > budget || !node.take(cost)) {
      return Offer.FULL;
    }
    lane.add(new Entry(frame, seq));
    bytes += cost;
    return wake();
  }

  private Offer wake() {
    if (writerAwake) {
      return Offer.QUEUED;
    }
    writerAwake = true;
    return Offer.WAKE;
  }

  private void drop() {
    control.clear();
    data.clear();
    free(bytes);
  }

  private void free(long some) {
    if (some > 0) {
      bytes -= some;
      node.release(some);
    }
  }
}
