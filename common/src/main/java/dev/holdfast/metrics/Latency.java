package dev.holdfast.metrics;

import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of durations with fixed buckets from 1 ms to 30 s. Thread-safe; recording allocates
 * nothing and takes no lock.
 */
public final class Latency {
  /** The buckets' upper bounds in seconds; one without bound follows. */
  private static final double[] BOUNDS = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30
  };

  private static final long[] BOUND_NANOS = new long[BOUNDS.length];

  static {
    for (int i = 0; i < BOUNDS.length; i++) {
      BOUND_NANOS[i] = Math.round(BOUNDS[i] * 1e9);
    }
  }

  private final LongAdder[] buckets = new LongAdder[BOUNDS.length + 1];
  private final LongAdder sumNanos = new LongAdder();

  public Latency() {
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = new LongAdder();
    }
  }

  /** Records one; below 0, as between two machines' clocks, counts as 0. */
  public void recordNanos(long nanos) {
    long positive = Math.max(0, nanos);
    int at = 0;
    while (at < BOUND_NANOS.length && positive > BOUND_NANOS[at]) {
      at++;
    }
    buckets[at].increment();
    sumNanos.add(positive);
  }

  /** Records one that was measured in milliseconds. */
  public void recordMs(long ms) {
    recordNanos(ms * 1_000_000);
  }

  /** Upper bounds in seconds, the last infinite. */
  static double[] bounds() {
    double[] bounds = new double[BOUNDS.length + 1];
    System.arraycopy(BOUNDS, 0, bounds, 0, BOUNDS.length);
    bounds[BOUNDS.length] = Double.POSITIVE_INFINITY;
    return bounds;
  }

  /** How many fell into each bucket, not cumulated. */
  public long[] counts() {
    long[] counts = new long[buckets.length];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = buckets[i].sum();
    }
    return counts;
  }

  /** The sum of all, in seconds. */
  public double sumSeconds() {
    return sumNanos.sum() / 1e9;
  }
}
