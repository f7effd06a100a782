package dev.holdfast.delivery.topology;

import dev.holdfast.metrics.Tally;
import java.util.concurrent.atomic.LongAdder;

/** What the topology has done since the process began. */
final class Counters {
  final LongAdder events = new LongAdder();
  final LongAdder deliveries = new LongAdder();
  final LongAdder repeats = new LongAdder();
  final LongAdder forwarded = new LongAdder();

  /** Dead letters by reason. */
  final Tally deadLetters =
      new Tally(
          "bad_event",
          "unknown_type",
          "bad_key",
          "wrong_partition",
          "too_large",
          "stale_forward",
          "id_conflict");

  final LongAdder threadDeaths = new LongAdder();
  final LongAdder restored = new LongAdder();
}
