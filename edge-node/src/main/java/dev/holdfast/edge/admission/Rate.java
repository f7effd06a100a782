package dev.holdfast.edge.admission;

/**
 * So many a second, and so many at once.
 *
 * @param perSecond what is refilled each second; 0: no limit
 * @param burst what may be used at once after a rest; at least 1 unless there is no limit
 */
public record Rate(double perSecond, double burst) {
  /** No limit. */
  public static final Rate OFF = new Rate(0, 0);

  /** A second has so many nanoseconds; a rate above it cannot be told from none. */
  private static final double MOST = 1e9;

  public Rate {
    boolean off = perSecond == 0 && burst == 0;
    boolean some = perSecond > 0 && perSecond <= MOST && burst >= 1 && burst <= MOST;
    if (!off && !some) {
      throw new IllegalArgumentException(
          "a rate is above 0 and up to 1000000000 with a burst of 1 to 1000000000, not "
              + perSecond
              + " with "
              + burst);
    }
  }

  /** So many an hour, and as many at once; 0: no limit. */
  static Rate perHour(int count) {
    return count == 0 ? OFF : new Rate(count / 3_600.0, count);
  }

  public boolean isOff() {
    return perSecond == 0;
  }

  /** The same, {@code factor} times as fast. */
  Rate times(double factor) {
    return isOff() ? OFF : new Rate(perSecond * factor, burst * factor);
  }
}
