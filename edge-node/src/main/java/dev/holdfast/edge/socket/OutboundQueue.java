package dev.holdfast.edge.socket;

import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ServerFrames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What one connection is still to be sent: a lane for pongs ahead of a lane for data, one budget of
 * bytes and frames for both, a share in the node's, and a close at the end. A literal pong is only
 * counted, so that a heartbeat allocates nothing. Any thread adds; one writer at a time takes. The
 * first to add after the writer ran dry is told to wake it, nobody else is.
 */
final class OutboundQueue {
  /** Bytes that a queued frame costs beside its own. */
  static final int OVERHEAD = 48;

  /** Frames of one connection that may wait, however small they are. */
  static final int MOST_FRAMES = 8_192;

  /** Literal pongs that are written together. */
  private static final int PONG_BATCH = 256;

  private static final int PONG_COST = ServerFrames.PONG.length + OVERHEAD;

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

  /** Frames to write together, in the order of the fields. Filled again and again by its writer. */
  static final class Batch {
    private final List<byte[]> frames = new ArrayList<>();
    private byte @Nullable [] protocolPong;
    private @Nullable CloseCode close;
    private boolean ping;
    private int pongs;

    /** Whether a protocol-level PING goes first. */
    boolean ping() {
      return ping;
    }

    /** Body of a protocol-level PONG, or null for none. */
    byte @Nullable [] protocolPong() {
      return protocolPong;
    }

    /** How many literal pongs go ahead of the frames. */
    int pongs() {
      return pongs;
    }

    /** Text frames. */
    List<byte[]> frames() {
      return frames;
    }

    /** What follows, or null. */
    @Nullable CloseCode close() {
      return close;
    }

    /** Whether there is nothing but the close. */
    boolean closeOnly() {
      return !ping && pongs == 0 && protocolPong == null && frames.isEmpty();
    }

    void clear() {
      frames.clear();
      protocolPong = null;
      close = null;
      ping = false;
      pongs = 0;
    }

    private boolean isEmpty() {
      return closeOnly() && close == null;
    }
  }

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
  private int pongs;
  private boolean ping;
  private byte @Nullable [] protocolPong;
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

  /** Adds a literal pong ahead of all data. */
  synchronized Offer addPong() {
    if (closed) {
      return Offer.CLOSED;
    }
    if (!fits(PONG_COST)) {
      return Offer.FULL;
    }
    pongs++;
    bytes += PONG_COST;
    return wake();
  }

  /** Asks for a protocol-level PING ahead of everything; one that still waits serves for both. */
  synchronized Offer addPing() {
    if (closed) {
      return Offer.CLOSED;
    }
    ping = true;
    return wake();
  }

  /**
   * Answers a protocol-level PING. Of several that wait only the latest is answered (RFC 6455,
   * 5.5.3), so a flood of them queues nothing.
   */
  synchronized Offer addProtocolPong(byte[] body) {
    if (closed) {
      return Offer.CLOSED;
    }
    protocolPong = body;
    return wake();
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
   * What to write next: at least one frame and then no more than {@code maxBytes}. False when there
   * is nothing; the writer then sleeps until it is woken.
   *
   * @param into empty; is filled
   */
  synchronized boolean take(int maxBytes, Batch into) {
    into.ping = ping;
    ping = false;
    into.protocolPong = protocolPong;
    protocolPong = null;
    into.pongs = Math.min(pongs, PONG_BATCH);
    pongs -= into.pongs;
    free((long) into.pongs * PONG_COST);
    int taken = move(control, into.frames, maxBytes, 0);
    move(data, into.frames, maxBytes, taken);
    if (pongs == 0 && control.isEmpty() && data.isEmpty()) {
      into.close = close;
      close = null;
    }
    writerAwake = !into.isEmpty();
    return writerAwake;
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
    if (!fits(cost)) {
      return Offer.FULL;
    }
    lane.add(new Entry(frame, seq));
    bytes += cost;
    return wake();
  }

  private boolean fits(int cost) {
    return bytes + cost <= budget
        && control.size() + data.size() + pongs < MOST_FRAMES
        && node.take(cost);
  }

  private Offer wake() {
    if (writerAwake) {
      return Offer.QUEUED;
    }
    writerAwake = true;
    return Offer.WAKE;
  }

  private void drop() {
    ping = false;
    protocolPong = null;
    pongs = 0;
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
