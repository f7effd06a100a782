package dev.holdfast.edge.admission;

import java.util.function.LongSupplier;

/**
 * Keeps what goes to one connection below a bandwidth: writing pauses until what was written is
 * paid for. Used by the connection's own I/O thread alone.
 */
public final class Pacer {
  /** A connection without a limit. */
  public static final Pacer NONE = new Pacer(0, () -> 0);

  /** A batch takes at most so long, so that a pong waits no longer than that. */
  private static final int BATCHES_PER_SECOND = 10;

  private static final int LEAST_BATCH_BYTES = 1_024;
  private static final long NANOS_PER_S = 1_000_000_000L;

  private final int bytesPerSecond;
  private final LongSupplier nowMs;
  private long paidAtNanos = Gcra.UNUSED;

  /**
   * @param bytesPerSecond 0: no limit
   * @param nowMs monotonic milliseconds
   */
  public Pacer(int bytesPerSecond, LongSupplier nowMs) {
    this.bytesPerSecond = bytesPerSecond;
    this.nowMs = nowMs;
  }

  /** Milliseconds until more may be written; 0: now. */
  public long waitMs() {
    if (bytesPerSecond == 0) {
      return 0;
    }
    long now = nowNanos();
    return paidAtNanos <= now ? 0 : Gcra.toMs(paidAtNanos - now);
  }

  /** How much to write at once; at most {@code most}. */
  public int batchBytes(int most) {
    return bytesPerSecond == 0
        ? most
        : Math.min(most, Math.max(LEAST_BATCH_BYTES, bytesPerSecond / BATCHES_PER_SECOND));
  }

  /** So much was written. */
  public void spend(int bytes) {
    if (bytesPerSecond > 0) {
      paidAtNanos = Math.max(paidAtNanos, nowNanos()) + bytes * NANOS_PER_S / bytesPerSecond;
    }
  }

  private long nowNanos() {
    return nowMs.getAsLong() * Gcra.NANOS_PER_MS;
  }
}
