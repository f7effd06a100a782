package dev.holdfast.metrics;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts by name, for a metric with labels. Names come from code, never from a client; were one to
 * slip through, the number of names is bounded and the rest counts as {@value #OTHER}. Thread-safe;
 * counting a name that was seen before allocates nothing and takes no lock.
 */
public final class Tally {
  /** What counts under no name of its own. */
  public static final String OTHER = "other";

  /** Most names. */
  static final int MOST = 64;

  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
  private final LongAdder other = new LongAdder();

  /**
   * @param known names that are told from the start, with 0, so that a rate has a beginning
   */
  public Tally(String... known) {
    for (String name : known) {
      counts.put(name, new LongAdder());
    }
  }

  /** One more of {@code name}. */
  public void count(String name) {
    LongAdder adder = counts.get(name);
    if (adder == null) {
      adder = counts.size() < MOST ? added(name) : other;
    }
    adder.increment();
  }

  private LongAdder added(String name) {
    return counts.computeIfAbsent(name, n -> new LongAdder());
  }

  /** The sums so far, by name; {@value #OTHER} only if there were any. */
  public Map<String, Long> sums() {
    Map<String, Long> sums = new TreeMap<>();
    counts.forEach((name, adder) -> sums.put(name, adder.sum()));
    if (other.sum() > 0) {
      sums.merge(OTHER, other.sum(), Long::sum);
    }
    return sums;
  }
}
