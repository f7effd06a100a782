package dev.holdfast.edge.session;

/**
 * Turns a client's cumulative acknowledgements into few events (D10). While messages wait for room
 * in the window (before {@code sync}, and when the log said that the window is full) an event goes
 * for half of what is under way, at least 16 messages, and as soon as all of it is acknowledged.
 * Otherwise nobody waits for it: one goes for 64 messages, or half a second after the first that is
 * held back. Not thread-safe.
 */
public final class AckCoalescer {
  /** Nothing is to be sent. */
  public static final long NONE = -1;

  static final long HOLD_MS = 500;
  static final int LIVE_BATCH = 64;
  static final int LEAST_BATCH = 16;

  private long acked;
  private long reported;
  private long reportedBefore;

  private long heldSinceMs;
  private boolean synced;
  private boolean full;

  /** The client has everything up to {@code from}. */
  public void start(long from) {
    acked = from;
    reported = from;
    reportedBefore = from;
    synced = false;
    full = false;
  }

  /** The replay is over. */
  public void synced() {
    synced = true;
  }

  /** Newest seq that the client acknowledged. */
  public long acked() {
    return acked;
  }

  /** Whether an acknowledgement is held back. */
  public boolean pending() {
    return acked > reported;
  }

  /** When what is held back must go, in the caller's milliseconds. */
  public long dueAtMs() {
    return heldSinceMs + HOLD_MS;
  }

  /**
   * The log says that messages wait for room.
   *
   * @return the seq to report now, or {@link #NONE}
   */
  public long full(long received, long nowMs) {
    full = true;
    return pending() && worthwhile(received) ? report(nowMs) : NONE;
  }

  /**
   * Takes an acknowledgement.
   *
   * @param received newest seq that the connection was sent
   * @return the seq to report now, or {@link #NONE}
   */
  public long ack(long seq, long received, long nowMs) {
    if (seq <= acked) {
      return NONE;
    }
    if (!pending()) {
      heldSinceMs = nowMs;
    }
    acked = seq;
    return worthwhile(received) ? report(nowMs) : NONE;
  }

  private boolean worthwhile(long received) {
    long gain = acked - reported;
    if (synced && !full) {
      return gain >= LIVE_BATCH;
    }
    return acked == received || gain >= Math.max(LEAST_BATCH, (received - reported) / 2);
  }

  /** What was held back, once it is due; otherwise {@link #NONE}. */
  public long due(long nowMs) {
    return pending() && nowMs >= dueAtMs() ? report(nowMs) : NONE;
  }

  /** What was held back, due or not; otherwise {@link #NONE}. */
  public long flush(long nowMs) {
    return pending() ? report(nowMs) : NONE;
  }

  /** What was last reported could not be handed over: it is held back again. */
  public void notTaken() {
    reported = reportedBefore;
  }

  /**
   * The report of {@code seq} was handed over and then not stored: it is held back again, unless a
   * later one covers it.
   */
  public void notStored(long seq) {
    if (reported == seq) {
      notTaken();
    }
  }

  private long report(long nowMs) {
    reportedBefore = reported;
    reported = acked;
    heldSinceMs = nowMs;
    full = false;
    return reported;
  }
}
