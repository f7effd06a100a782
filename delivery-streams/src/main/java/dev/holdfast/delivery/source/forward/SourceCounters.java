package dev.holdfast.delivery.source.forward;

import dev.holdfast.metrics.Tally;
import java.util.concurrent.atomic.LongAdder;

/** What all sources of this process have done since it began. */
final class SourceCounters {
  /** Copies that are on all in-sync replicas of the log. */
  final LongAdder forwarded = new LongAdder();

  /** Tombstones. */
  final LongAdder skipped = new LongAdder();

  /** Times that a source stopped with an error and began again from its committed position. */
  final LongAdder failures = new LongAdder();

  /** Dead letters by reason. */
  final Tally deadLetters = new Tally("bad_key", "bad_value", "too_large");
}
