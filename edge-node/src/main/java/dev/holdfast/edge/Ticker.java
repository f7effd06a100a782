package dev.holdfast.edge;

import dev.holdfast.edge.session.Later;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread for everything that happens at a time: sweeps, held acknowledgements, delays. */
final class Ticker implements Later {
  /** How often held acknowledgements are looked at. */
  static final long ACKS_MS = 20;

  /** How often every connection's time-outs are looked at. */
  static final long SWEEP_MS = 1_000;

  /** How often Kafka is asked whether it is there. */
  static final long PROBE_MS = 3_000;

  private static final Logger LOG = LoggerFactory.getLogger(Ticker.class);

  private final ScheduledThreadPoolExecutor executor;
  private final Consumer<String> fatal;

  Ticker(String name, Consumer<String> fatal) {
    this.fatal = fatal;
    this.executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Monotonic milliseconds. */
  static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }

  void every(long periodMs, Runnable task) {
    var unused =
        executor.scheduleWithFixedDelay(guarded(task), periodMs, periodMs, TimeUnit.MILLISECONDS);
  }

  @Override
  public void run(long delayMs, Runnable task) {
    try {
      var unused = executor.schedule(guarded(task), delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping; it closes everything anyway.
    }
  }

  void close() {
    executor.shutdownNow();
  }

  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        LOG.atError().setCause(e).log("the ticker thread failed");
        fatal.accept("the ticker thread failed: " + e);
        throw e;
      }
    };
  }
}
