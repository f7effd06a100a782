package dev.holdfast.client.rules;

import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt. Every draw is afresh, so that clients that lost their
 * connections together do not come back together.
 *
 * @param baseMs the first delay before chance, at least 1
 * @param capMs no delay is longer
 * @param factor growth from one failure to the next, at least 1
 * @param jitter how chance is added
 * @param ratio only for {@link Jitter#RATIO}: 0 to 1
 */
public record Backoff(long baseMs, long capMs, double factor, Jitter jitter, double ratio) {
  private static final double MIN_MS = 200;
  private static final double MIN_SPREAD_MS = 300;

  /** How chance is added to a delay d. */
  public enum Jitter {
    /** Anything up to d. */
    FULL,
    /** From half of d to d. */
    EQUAL,
    /** d, more or less by {@link Backoff#ratio}. */
    RATIO,
    /** From d to d + base, at most the cap. */
    DECORRELATED
  }

  public Backoff {
    if (baseMs < 1 || capMs < baseMs || !(factor >= 1) || !(ratio >= 0 && ratio <= 1)) {
      throw new IllegalArgumentException(
          "backoff needs 1 <= base <= cap, factor >= 1, ratio 0 to 1: base "
              + baseMs
              + ", cap "
              + capMs
              + ", factor "
              + factor
              + ", ratio "
              + ratio);
    }
  }

  /** Full jitter, factor 2. */
  public static Backoff of(long baseMs, long capMs) {
    return new Backoff(baseMs, capMs, 2, Jitter.FULL, 0.3);
  }

  public Backoff withJitter(Jitter other) {
    return new Backoff(baseMs, capMs, factor, other, ratio);
  }

  /**
   * The delay in ms.
   *
   * @param failures ends since the last stable time, the one that is waited for not counted
   */
  public long delayMs(int failures, RandomGenerator random) {
    return Math.max(minMs(random), Math.round(jittered(planned(failures), random.nextDouble())));
  }

  /** No reconnect comes sooner after an end that nobody planned: 200 to 500 ms. */
  public static long minMs(RandomGenerator random) {
    return Math.round(MIN_MS + MIN_SPREAD_MS * random.nextDouble());
  }

  /** After a server's planned restart: a second, more or less by half. */
  public static long soonMs(RandomGenerator random) {
    return Math.round(1000 * (0.5 + random.nextDouble()));
  }

  /** A wait that a server asked for with a close, and up to a tenth on top, a second at least. */
  public static long askedMs(long asked, RandomGenerator random) {
    return asked + Math.round(Math.max(1000, asked / 10.0) * random.nextDouble());
  }

  /** A wait before something is tried again on the same connection, and up to a tenth on top. */
  public static long tenthMs(long asked, RandomGenerator random) {
    return asked + Math.round(asked / 10.0 * random.nextDouble());
  }

  /** Before chance. {@code Math.pow} overflows to infinity, which the cap takes care of. */
  private double planned(int failures) {
    return Math.min((double) capMs, baseMs * Math.pow(factor, failures));
  }

  private double jittered(double d, double chance) {
    return switch (jitter) {
      case FULL -> d * chance;
      case EQUAL -> d / 2 + d / 2 * chance;
      case RATIO -> d * (1 - ratio + 2 * ratio * chance);
      case DECORRELATED -> Math.min((double) capMs, d + baseMs * chance);
    };
  }
}
