package dev.holdfast.client.net;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one task at a time, in order, on threads of another executor. A task that fails is logged
 * and the next one runs. Where the other executor is shut, {@link #execute} throws as it does.
 */
public final class SerialExecutor implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);
  private static final AtomicInteger THREADS = new AtomicInteger();

  private final Executor threads;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private boolean running;

  public SerialExecutor(Executor threads) {
    this.threads = threads;
  }

  /** Daemon threads, as many as are needed, each of which ends when it was idle for 10 s. */
  public static Executor daemons() {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        10,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        work -> {
          Thread thread = new Thread(work, "holdfast-client-" + THREADS.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  @Override
  public void execute(Runnable task) {
    synchronized (tasks) {
      tasks.add(task);
      if (running) {
        return;
      }
      running = true;
    }
    try {
      threads.execute(this::runAll);
    } catch (RejectedExecutionException e) {
      synchronized (tasks) {
        running = false;
        tasks.clear();
      }
      throw e;
    }
  }

  private void runAll() {
    for (Runnable task = next(); task != null; task = next()) {
      try {
        task.run();
      } catch (Throwable e) { // nothing may stop those behind it
        LOG.error("a task of the client failed: this is a mistake in the library", e);
      }
    }
  }

  private @Nullable Runnable next() {
    synchronized (tasks) {
      Runnable next = tasks.poll();
      running = next != null;
      return next;
    }
  }
}
