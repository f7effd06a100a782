package dev.holdfast.edge.session;

/**
 * Turns a client's cumulative acknowledgements into few events (D10). Live: the first after a quiet
 * 100 ms goes at once, then at most one event per 100 ms or 64 messages. Before {@code sync}, where
 * acknowledgements drive the replay: every 16 messages, or as soon as everything received is
 * acknowledged. What is held back is due within 100 ms. Not thread-safe.
 */
public final class AckCoalescer {
  /** Nothing is to be sent. */
  public static final long NONE = -1;

  static final long QUIET_MS = 100;
  static final int LIVE_BATCH = 64;
  static final int REPLAY_BATCH = 16;

  private long acked;
  private long reported;
  private long reportedBefore;

  /** When something was last reported, or first held back after a quiet time. */
  private long reportedAtMs;

  private boolean everReported;
  private boolean synced;

  /** The client has everything up to {@code from}. */
  public void start(long from) {
    acked = from;
    reported = from;
    reportedBefore = from;
    synced = false;
    everReported = false;
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
    return reportedAtMs + QUIET_MS;
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
    boolean first = !pending();
    acked = seq;
    boolean now =
        synced
            ? acked - reported >= LIVE_BATCH || !everReported || nowMs - reportedAtMs >= QUIET_MS
            : acked - reported >= REPLAY_BATCH || acked == received;
    if (now) {
      return report(nowMs);
    }
    if (first && nowMs - reportedAtMs >= QUIET_MS) {
      reportedAtMs = nowMs;
    }
    return NONE;
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
    reportedAtMs = nowMs;
    everReported = true;
    return reported;
  }
}
