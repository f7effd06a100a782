package dev.holdfast.delivery.topology;

import java.util.concurrent.atomic.LongAdder;

/** What the topology has done since the process began. */
final class Counters {
  final LongAdder events = new LongAdder();
  final LongAdder deliveries = new LongAdder();
  final LongAdder repeats = new LongAdder();
  final LongAdder forwarded = new LongAdder();
  final LongAdder deadLetters = new LongAdder();
}
