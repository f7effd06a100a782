package dev.holdfast.edge.session;

import dev.holdfast.Limits;

/**
 * When one connection last showed life, in two layers. Anything that comes from the
 * client, a protocol-level pong too, proves that its network stack lives; only an application frame
 * proves that the application does.
 *
 * <p>A connection that is silent for a heartbeat interval is sent a protocol-level PING. One from
 * which then still nothing comes is dead once it was silent for interval and time-out together, and
 * the PING has had the time-out for its answer. The verdict needs two looks in a row: should this
 * process have stood still, the first look comes before the I/O threads have read what arrived
 * meanwhile.
 *
 * <p>So that connections opened together are not all sent their PINGs together, the first is due at
 * a random time in the second half of the first interval, and each later one waits up to a quarter
 * of the time-out longer than the interval, always the same for one connection.
 *
 * <p>Written under the session's lock, except {@link #seen}, which any thread may call. Times are
 * monotonic milliseconds.
 */
final class Pulse {
  private static final int SHARES = 1 << 16;

  private final long intervalMs;
  private final long timeoutMs;
  private final long idleTimeoutMs;
  private volatile long seenMs;
  private long frameMs;
  private long pingedMs;
  private int dueMs;
  private int share;
  private boolean pinged;
  private boolean suspect;

  Pulse(Limits limits, long nowMs) {
    this.intervalMs = limits.heartbeatIntervalMs();
    this.timeoutMs = limits.heartbeatTimeoutMs();
    this.idleTimeoutMs = limits.idleTimeoutMs();
    this.seenMs = nowMs;
    this.frameMs = nowMs;
  }

  /**
   * The connection has its welcome: from now on it is looked after.
   *
   * @param chance decides where in the interval its PINGs lie; any value
   */
  void start(long nowMs, int chance) {
    share = Math.floorMod(chance, SHARES);
    dueMs = (int) (intervalMs / 2 + intervalMs / 2 * share / SHARES);
    frame(nowMs);
  }

  /** Something came from the client. */
  void seen(long nowMs) {
    seenMs = nowMs;
  }

  /** An application frame came. */
  void frame(long nowMs) {
    seenMs = nowMs;
    frameMs = nowMs;
  }

  /** Whether no application frame came for too long. */
  boolean idle(long nowMs) {
    return nowMs - frameMs > idleTimeoutMs;
  }

  /**
   * Whether the connection is dead; sends a PING where one is due. To be asked about once a second.
   */
  boolean dead(long nowMs, Transport transport, EdgeCounters counters) {
    long seen = seenMs;
    if (pinged && seen >= pingedMs) {
      pinged = false;
    }
    if (!pinged) {
      suspect = false;
      if (nowMs - seen >= dueMs) {
        ping(nowMs, transport, counters);
      }
      return false;
    }
    if (nowMs - seen < intervalMs + timeoutMs || nowMs - pingedMs < timeoutMs) {
      return false;
    }
    boolean dead = suspect;
    suspect = true;
    if (dead) {
      counters.heartbeatsMissed.increment();
    }
    return dead;
  }

  private void ping(long nowMs, Transport transport, EdgeCounters counters) {
    pinged = true;
    pingedMs = nowMs;
    dueMs = (int) (intervalMs + timeoutMs / 4 * share / SHARES);
    counters.pingsSent.increment();
    transport.ping();
  }
}
