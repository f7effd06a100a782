package dev.holdfast.standalone;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a command that lasts until a signal or a fault, and closes what it opened, newest first.
 *
 * <p>The JVM turns SIGTERM and Ctrl-C into a shutdown with status 143 or 130 and offers no say in
 * it. So the shutdown hook closes everything itself and halts the JVM with the status meant: 0
 * after a signal, also during start-up, 1 after a fault.
 */
final class Processes {
  private static final Logger LOG = LoggerFactory.getLogger(Processes.class);
  private static final long CLOSE_TIMEOUT_MS = 20_000;

  private final Deque<Opened> opened = new ArrayDeque<>();
  private final CompletableFuture<String> fatal = new CompletableFuture<>();
  private volatile boolean failed;
  private volatile boolean signalled;

  private record Opened(String what, AutoCloseable close) {}

  /** What a command does until it is ready. */
  interface Start {
    void run(Processes processes) throws Exception;
  }

  private Processes() {}

  /** Starts, says {@code ready}, and returns only by throwing the fault that ends it. */
  static int run(Start start) throws Exception {
    Processes processes = new Processes();
    return processes.guard(
        () -> {
          processes.begin(start);
          throw new CommandFailed(processes.fatal.get());
        });
  }

  /** Starts, says {@code ready}, closes all and returns. */
  static int runOnce(Start start) throws Exception {
    Processes processes = new Processes();
    return processes.guard(
        () -> {
          processes.begin(start);
          processes.closeAll();
          return 0;
        });
  }

  private void begin(Start start) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(this::shutdown, "holdfast-shutdown"));
    start.run(this);
    System.out.println("ready");
    System.out.flush();
  }

  private int guard(Callable<Integer> body) throws Exception {
    try {
      return body.call();
    } catch (Throwable e) {
      if (signalled) {
        new CountDownLatch(1)
            .await(); // the hook closes and halts; what failed meanwhile is no news
      }
      failed = true;
      closeAll();
      throw e;
    }
  }

  /** Closes {@code close} at the end; called before the thing is started. */
  void onEnd(String what, AutoCloseable close) {
    synchronized (opened) {
      opened.push(new Opened(what, close));
    }
  }

  /** Ends the process with status 1 and the reason when {@code cause} completes. */
  void failOn(CompletableFuture<String> cause) {
    CompletableFuture<Boolean> unused =
        cause.handle((reason, e) -> fatal.complete(e == null ? reason : e.toString()));
  }

  private void shutdown() {
    signalled = !failed;
    Thread closing = new Thread(this::closeAll, "holdfast-close");
    closing.setDaemon(true);
    closing.start();
    boolean inTime = false;
    try {
      closing.join(CLOSE_TIMEOUT_MS);
      inTime = !closing.isAlive();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!inTime) {
      LOG.error("not everything closed within {} ms; ending anyway", CLOSE_TIMEOUT_MS);
    }
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(failed || !inTime ? 1 : 0);
  }

  private void closeAll() {
    for (Opened next = poll(); next != null; next = poll()) {
      try {
        next.close().close();
      } catch (Exception e) {
        LOG.warn("{} did not close in order: {}", next.what(), e.toString());
      }
    }
  }

  private @Nullable Opened poll() {
    synchronized (opened) {
      return opened.poll();
    }
  }
}
