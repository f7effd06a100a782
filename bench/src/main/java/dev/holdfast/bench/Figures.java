package dev.holdfast.bench;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Latencies of one run, recorded in microseconds by several threads. */
final class Figures {
  private final Histogram histogram = new Histogram(TimeUnit.MINUTES.toMicros(5), 3);

  synchronized void since(long dueNanos) {
    long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - dueNanos);
    histogram.recordValue(Math.max(0, Math.min(micros, histogram.getHighestTrackableValue())));
  }

  synchronized void reset() {
    histogram.reset();
  }

  synchronized long count() {
    return histogram.getTotalCount();
  }

  synchronized double p99Ms() {
    return histogram.getValueAtPercentile(99) / 1000.0;
  }

  /** {@code n=… p50=… p99=… p99.9=… max=… ms}. */
  synchronized String text() {
    return String.format(
        Locale.ROOT,
        "n=%d p50=%.2f p99=%.2f p99.9=%.2f max=%.2f ms",
        histogram.getTotalCount(),
        histogram.getValueAtPercentile(50) / 1000.0,
        histogram.getValueAtPercentile(99) / 1000.0,
        histogram.getValueAtPercentile(99.9) / 1000.0,
        histogram.getMaxValue() / 1000.0);
  }
}
