package dev.holdfast.edge.ingress;

import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EventSink;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Waits for all records of one offer, then tells its outcome. Called on the producer's thread. */
final class Completion {
  private final AtomicInteger open;
  private final AtomicBoolean failed = new AtomicBoolean();
  private final EventSink.@Nullable Outcome outcome;
  private final EdgeCounters counters;
  private final long offeredNanos;

  Completion(int records, EventSink.@Nullable Outcome outcome, EdgeCounters counters) {
    this(records, outcome, counters, 0);
  }

  /**
   * @param offeredNanos when the offer was made, as {@link System#nanoTime}; 0 for what nobody
   *     offered
   */
  Completion(
      int records, EventSink.@Nullable Outcome outcome, EdgeCounters counters, long offeredNanos) {
    this.open = new AtomicInteger(records);
    this.outcome = outcome;
    this.counters = counters;
    this.offeredNanos = offeredNanos;
  }

  void one(boolean stored) {
    if (stored) {
      counters.stored.increment();
    } else {
      counters.notStored.increment();
      failed.set(true);
    }
    if (open.decrementAndGet() == 0) {
      ended(!failed.get());
    }
  }

  private void ended(boolean stored) {
    if (stored && offeredNanos != 0) {
      counters.toKafka.recordNanos(System.nanoTime() - offeredNanos);
    }
    if (outcome != null) {
      outcome.done(stored);
    }
  }
}
