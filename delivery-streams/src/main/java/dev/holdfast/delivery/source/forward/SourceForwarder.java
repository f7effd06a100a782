package dev.holdfast.delivery.source.forward;

import dev.holdfast.delivery.source.Copy;
import dev.holdfast.delivery.source.SourceSpec;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies one topic of the user's into the log, on a thread of its own. What fails is told and tried
 * again from the committed position; a source in trouble never ends the process.
 *
 * <p>How this works. The instances that have the source share its partitions as a consumer group.
 * Each copy has the record's place ({@link Copy#of}) as its clientMsgId, and a position is
 * committed only when all copies before it are on all in-sync replicas. So whatever dies, the
 * successor copies a little again, and what comes twice dies in the recipient's task (D9).
 *
 * <p>Why no order breaks, although a member that was paused may wake and write late, beside its
 * successor. (1) What lies before a committed position is in the log. (2) A writer begins at a
 * committed position and writes the copies for one partition of the log in the order of the source,
 * without a hole: it has one batch a partition on its way, retries of the idempotent producer keep
 * their place, and the first write that fails closes the producer before another could follow
 * ({@link CopyWriter}). A hole would need a later copy after a failed one. (3) So when anybody
 * writes the copy of a record, the copies of all earlier records of that source partition for that
 * user lie in the log already: those before the writer's beginning by (1), the others by (2). Hence
 * the <em>first</em> copies lie in the order of the source, and only first copies count. A zombie
 * can write nothing new out of turn, only repeats, or the next ones before its successor does.
 *
 * <p>What bounds this is the dedup window: a repeat after it is a new message. A writer that wakes
 * after two minutes finds its batches expired and closes; a position is behind what is in the log
 * only after a crash. So a record can come twice only if all instances die uncleanly and none runs
 * for longer than the window (24 h by default).
 */
final class SourceForwarder {
  private static final Logger LOG = LoggerFactory.getLogger(SourceForwarder.class);
  private static final Duration LEAST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** A run that lasted so long was a good one: the next failure is a new one. */
  private static final Duration GOOD_RUN = Duration.ofMinutes(1);

  private final SourceSpec spec;
  private final SourceClients clients;
  private final SourceCounters counters;
  private final CompletableFuture<String> fatal;
  private final CompletableFuture<Void> begun = new CompletableFuture<>();
  private final AtomicReference<@Nullable String> lastTopicId = new AtomicReference<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable SourceRun run;

  /**
   * @param fatal told of what no retry can mend: an error of the VM or of the program
   */
  SourceForwarder(
      SourceSpec spec,
      SourceClients clients,
      SourceCounters counters,
      CompletableFuture<String> fatal) {
    this.spec = spec;
    this.clients = clients;
    this.counters = counters;
    this.fatal = fatal;
    this.thread = new Thread(this::work, "holdfast-source-" + spec.topic());
  }

  void start() {
    thread.start();
  }

  /**
   * Completes once every partition has a position: nothing that is written from now on is missed.
   */
  CompletableFuture<Void> begun() {
    return begun.copy();
  }

  private void work() {
    Duration pause = LEAST_PAUSE;
    while (!closed()) {
      long since = System.nanoTime();
      try {
        once();
      } catch (WakeupException | InterruptException e) {
        LOG.atDebug().addKeyValue("source", spec.topic()).log("woken to end");
      } catch (KafkaException | IllegalStateException e) {
        if (System.nanoTime() - since > GOOD_RUN.toNanos()) {
          pause = LEAST_PAUSE;
        }
        failed(e, pause);
        pause = pause.multipliedBy(2);
        pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
      } catch (RuntimeException | Error e) {
        LOG.atError().setCause(e).addKeyValue("source", spec.topic()).log("a source stops");
        fatal.complete("source " + spec.topic() + " stopped with an error: " + e);
        return;
      }
    }
  }

  private void once() {
    try (SourceRun started = SourceRun.open(spec, clients, counters, begun, lastTopicId)) {
      run = started;
      while (!closed()) {
        started.step();
      }
    } finally {
      run = null;
    }
  }

  private void failed(RuntimeException e, Duration pause) {
    if (closed()) {
      return;
    }
    counters.failures.increment();
    LOG.atWarn()
        .addKeyValue("source", spec.topic())
        .addKeyValue("error", e.toString())
        .log(
            "a source stopped and begins again in {} s from its committed position; nothing is lost",
            pause.toSeconds());
    try {
      boolean unused = closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      closing.countDown();
    }
  }

  private boolean closed() {
    return closing.getCount() == 0;
  }

  /** Records not yet copied, of the partition here with the most, as the last fetch saw it. */
  double lag() {
    SourceRun current = run;
    double most = 0;
    if (current != null) {
      for (Map.Entry<MetricName, ? extends Metric> metric : current.metrics().entrySet()) {
        if (metric.getKey().name().equals("records-lag")
            && metric.getValue().metricValue() instanceof Number lag
            && lag.doubleValue() > most) {
          most = lag.doubleValue();
        }
      }
    }
    return most;
  }

  /** Has it commit what is done and leave the group; returns at once. */
  void end() {
    closing.countDown();
    SourceRun current = run;
    if (current != null) {
      current.wakeup();
    }
  }

  /** Waits until it has ended, for some seconds at most. */
  void join() throws InterruptedException {
    thread.join(8_000);
  }
}
