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

  Completion(int records, EventSink.@Nullable Outcome outcome, EdgeCounters counters) {
    this.open = new AtomicInteger(records);
    this.outcome = outcome;
    this.counters = counters;
  }

  void one(boolean stored) {
    if (stored) {
      counters.stored.increment();
    } else {
      counters.notStored.increment();
      failed.set(true);
    }
    if (open.decrementAndGet() == 0 && outcome != null) {
      outcome.done(!failed.get());
    }
  }
}
