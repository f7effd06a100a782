package dev.holdfast.edge;

import dev.holdfast.edge.drain.Drain;
import dev.holdfast.edge.ingress.EventPublisher;
import dev.holdfast.edge.session.EdgeCounters;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a node leaves: its connections close over some time, then the log hears of the last ones. */
final class Farewell {
  /** A node that cannot go on lets its clients go sooner: they get nothing from it any more. */
  private static final long BROKEN_MS = 3_000;

  /** How long the last disconnects get to reach Kafka. */
  static final Duration FLUSH = Duration.ofSeconds(4);

  private static final Logger LOG = LoggerFactory.getLogger(Farewell.class);

  private final Drain drain;
  private final EventPublisher publisher;
  private final EdgeCounters counters;
  private volatile boolean aborted;

  Farewell(Drain drain, EventPublisher publisher, EdgeCounters counters) {
    this.drain = drain;
    this.publisher = publisher;
    this.counters = counters;
  }

  /** Leaves without one: the log hears of nothing more. */
  void abort() {
    aborted = true;
    publisher.close(Duration.ZERO);
  }

  void closeConnections(int overSeconds, boolean broken) {
    if (aborted) {
      return;
    }
    long overMs = 1_000L * overSeconds;
    drain.run(broken ? Math.min(overMs, BROKEN_MS) : overMs);
  }

  void flush() {
    long before = counters.notStored.sum();
    publisher.close(FLUSH);
    long lost = counters.notStored.sum() - before;
    if (lost > 0) {
      LOG.atWarn()
          .log(
              "Kafka did not take the last {} records within {} s; its connections lapse instead",
              lost,
              FLUSH.toSeconds());
    }
  }
}
