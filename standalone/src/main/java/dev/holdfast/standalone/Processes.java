package dev.holdfast.standalone;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
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
 * after a signal, also during start-up, 1 after a fault. A second signal does not wait ({@link
 * Signals}).
 */
final class Processes {
  private static final Logger LOG = LoggerFactory.getLogger(Processes.class);
  private static final long CLOSE_TIMEOUT_MS = 20_000;

  private final Object closing = new Object();

  private final Deque<Opened> opened = new ArrayDeque<>();

  /** Completes with the fault, or empty when somebody asked for the end. */
  private final CompletableFuture<Optional<String>> end = new CompletableFuture<>();

  private volatile long closeTimeoutMs = CLOSE_TIMEOUT_MS;
  private volatile boolean failed;
  private volatile boolean signalled;

  private record Opened(String what, AutoCloseable close) {}

  /** What a command does until it is ready. */
  interface Start {
    void run(Processes processes) throws Exception;
  }

  private Processes() {}

  /**
   * Starts, says {@code ready}, and returns once somebody asked for the end and all is closed;
   * throws the fault that ends it.
   */
  static int run(Start start) throws Exception {
    Processes processes = new Processes();
    return processes.guard(
        () -> {
          processes.begin(start);
          Optional<String> fault = processes.end.get();
          if (fault.isPresent()) {
            throw new CommandFailed(fault.get());
          }
          processes.closeAll();
          return 0;
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
    Signals.endAtOnceOnTheSecond();
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
        cause.handle((reason, e) -> end.complete(Optional.of(e == null ? reason : e.toString())));
  }

  /** Closes everything and ends the process with status 0 when {@code cause} completes. */
  void endOn(CompletableFuture<?> cause) {
    CompletableFuture<Boolean> unused = cause.thenApply(any -> end.complete(Optional.empty()));
  }

  /** Lets the closing take so much longer, in milliseconds. */
  synchronized void allow(long ms) {
    closeTimeoutMs += ms;
  }

  private void shutdown() {
    signalled = !failed;
    Thread closer = new Thread(this::closeAll, "holdfast-close");
    closer.setDaemon(true);
    closer.start();
    boolean inTime = false;
    try {
      closer.join(closeTimeoutMs);
      inTime = !closer.isAlive();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!inTime) {
      LOG.error("not everything closed within {} ms; ending anyway", closeTimeoutMs);
    }
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(failed || !inTime ? 1 : 0);
  }

  /** Whoever comes second waits: a signal must not cut short a closing that has begun. */
  private void closeAll() {
    synchronized (closing) {
      for (Opened next = poll(); next != null; next = poll()) {
        try {
          next.close().close();
        } catch (Exception e) {
          LOG.warn("{} did not close in order: {}", next.what(), e.toString());
        }
      }
    }
  }

  private @Nullable Opened poll() {
    synchronized (opened) {
      return opened.poll();
    }
  }
}
