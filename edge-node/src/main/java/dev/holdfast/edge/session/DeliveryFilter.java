package dev.holdfast.edge.session;

/**
 * Lets each message through to one connection once and in order: it expects {@code last + 1}, drops
 * what is not above {@code last} (repeats of a speculative or doubled delivery), and on a gap asks
 * for everything after {@code last} again, at most once a second. Not thread-safe.
 */
public final class DeliveryFilter {
  /** Least milliseconds between two requests. */
  static final long RESYNC_INTERVAL_MS = 1_000;

  /** Milliseconds after which an unanswered request is made again without another message. */
  static final long RESYNC_PATIENCE_MS = 5_000;

  /** What to do with a message. */
  public enum Verdict {
    /** It is the next one: pass it on. */
    PASS,
    /** The connection has it. */
    REPEAT,
    /** Some before it are missing, and were asked for lately. */
    GAP,
    /** Some before it are missing: ask for them now. */
    GAP_RESYNC
  }

  private long last;
  private long highestSeen;
  private long askedAtMs;
  private boolean asked;

  /** The next message has seq {@code from + 1}. */
  public void start(long from) {
    last = from;
    highestSeen = from;
    asked = false;
  }

  /** Newest seq that was passed on. */
  public long last() {
    return last;
  }

  /** Judges the message with {@code seq}. */
  public Verdict offer(long seq, long nowMs) {
    if (seq <= last) {
      return Verdict.REPEAT;
    }
    if (seq == last + 1) {
      last = seq;
      highestSeen = Math.max(highestSeen, seq);
      return Verdict.PASS;
    }
    highestSeen = Math.max(highestSeen, seq);
    return ask(nowMs, RESYNC_INTERVAL_MS) ? Verdict.GAP_RESYNC : Verdict.GAP;
  }

  /**
   * The log says that it sent everything up to {@code seq}.
   *
   * @return whether some of it is missing and is to be asked for now
   */
  public boolean announced(long seq, long nowMs) {
    highestSeen = Math.max(highestSeen, seq);
    return seq > last && ask(nowMs, RESYNC_INTERVAL_MS);
  }

  /** Whether a gap is still open and its request has gone unanswered for too long. */
  public boolean resyncDue(long nowMs) {
    return highestSeen > last && ask(nowMs, RESYNC_PATIENCE_MS);
  }

  private boolean ask(long nowMs, long afterMs) {
    if (asked && nowMs - askedAtMs < afterMs) {
      return false;
    }
    asked = true;
    askedAtMs = nowMs;
    return true;
  }
}
