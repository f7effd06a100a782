package dev.holdfast.edge.admission;

/**
 * A token bucket whose whole state is one number (the generic cell rate algorithm): the moment at
 * which the bucket would be full again. That makes a bucket for each connection, address and user
 * affordable: 8 bytes, no allocation, nothing to refill. Immutable; who holds the number guards it.
 */
final class Gcra {
  /** The state of a bucket that was never used. */
  static final long UNUSED = Long.MIN_VALUE;

  static final long NANOS_PER_MS = 1_000_000;

  private final double nanosPerToken;
  private final double burst;
  private final long windowNanos;

  Gcra(Rate rate) {
    this.nanosPerToken = rate.isOff() ? 0 : 1e9 / rate.perSecond();
    this.burst = rate.burst();
    this.windowNanos = (long) (nanosPerToken * burst);
  }

  boolean isOff() {
    return nanosPerToken == 0;
  }

  double burst() {
    return burst;
  }

  /**
   * How long until so many tokens are there; 0: they are. More than the burst are there when the
   * bucket is full.
   */
  long waitNanos(long state, long nowNanos, double tokens) {
    if (isOff()) {
      return 0;
    }
    long wanted = (long) (Math.min(tokens, burst) * nanosPerToken);
    return Math.max(0, Math.max(state, nowNanos) + wanted - nowNanos - windowNanos);
  }

  /** The state after so many tokens are taken. */
  long spend(long state, long nowNanos, double tokens) {
    return isOff() ? state : Math.max(state, nowNanos) + (long) (tokens * nanosPerToken);
  }

  /** Milliseconds, rounded up. */
  static long toMs(long nanos) {
    return (nanos + NANOS_PER_MS - 1) / NANOS_PER_MS;
  }
}
