package dev.holdfast.delivery.replay;

import java.time.Duration;

/**
 * Until when a message that comes again is surely recognised. An identity is known for the dedup
 * window from its first time on; a little earlier ends what may be replayed, since clocks differ
 * and a replay takes its time. What passes here and comes too late all the same, the rules put to
 * dead letters as {@code stale_forward}.
 */
final class Age {
  private static final Duration MARGIN = Duration.ofMinutes(10);

  /** Kafka takes records of producers whose clocks are ahead by so much. */
  private static final Duration PRODUCERS_CLOCK = Duration.ofHours(1);

  private Age() {}

  /**
   * The oldest first time that may be replayed.
   *
   * @param nowMs milliseconds since 1970
   * @param windowMs the dedup window of the rules in force
   * @param producersTime whether the times are those of producers, not of the broker
   */
  static long oldest(long nowMs, long windowMs, boolean producersTime) {
    long margin = MARGIN.toMillis() + (producersTime ? PRODUCERS_CLOCK.toMillis() : 0);
    return nowMs - windowMs + Math.min(margin, windowMs / 4);
  }
}
