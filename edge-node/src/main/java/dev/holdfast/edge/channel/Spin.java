package dev.holdfast.edge.channel;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Notices a consumer that asks again and again without getting anything, as it does while a topic
 * is missing: a broker refuses such a read at once instead of letting it wait, and the consumer
 * only logs that, tens of thousands of times a second. One thread.
 */
final class Spin {
  private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();

  /** Reads in that time that mean nothing; a broker lets one without records wait as long. */
  private static final int USUAL = 50;

  /** Nanoseconds that the consumer is held back for. */
  private static final long CALM_NANOS = Duration.ofSeconds(1).toNanos();

  private final DoubleSupplier reads;
  private double before;
  private long records;
  private long sinceNanos;
  private long calmUntilNanos;

  /**
   * @param reads how many reads brokers have answered
   */
  Spin(DoubleSupplier reads, long nowNanos) {
    this.reads = reads;
    this.sinceNanos = nowNanos;
    this.calmUntilNanos = nowNanos;
  }

  /** The consumer was asked; whether it is found to spin by now. */
  boolean found(int taken, long nowNanos) {
    records += taken;
    if (nowNanos - sinceNanos < LOOK_NANOS) {
      return false;
    }
    double now = reads.getAsDouble();
    // Each read that brings something brings a record at least.
    boolean spins = now - before > USUAL + 2.0 * records;
    before = now;
    records = 0;
    sinceNanos = nowNanos;
    if (spins) {
      calmUntilNanos = nowNanos + CALM_NANOS;
    }
    return spins;
  }

  /** Whether the consumer is to be asked seldom for now. */
  boolean calm(long nowNanos) {
    return calmUntilNanos - nowNanos > 0;
  }

  /** It reads something else from now on. */
  void over(long nowNanos) {
    calmUntilNanos = nowNanos;
  }
}
