package dev.holdfast.standalone;

import dev.holdfast.edge.EdgeConfig;
import dev.holdfast.edge.EdgeNode;
import dev.holdfast.edge.page.Pages;
import dev.holdfast.standalone.pages.EdgeBoard;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One edge of {@code dev}, which can be killed and comes back on the same port. Its own thread ends
 * and starts it; {@link #close} waits for what that does now.
 */
final class DevEdge implements AutoCloseable {
  /** So long an edge is dead, as a process would be that something has to start again. */
  private static final long DEAD_MS = 5_000;

  /** The answer to who asked for it goes out first. */
  private static final long LAST_WORD_MS = 50;

  private static final Logger LOG = LoggerFactory.getLogger(DevEdge.class);

  private final EdgeConfig config;
  private final Pages pages;
  private final Processes processes;
  private final ScheduledExecutorService timer;
  private @Nullable EdgeNode node;
  private boolean closed;
  private volatile boolean up;
  private volatile int port;

  /** Registers its end; not started yet. */
  DevEdge(EdgeConfig config, Pages pages, Processes processes) {
    this.config = config;
    this.pages = pages;
    this.processes = processes;
    this.port = config.port();
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            body -> {
              Thread thread = new Thread(body, "holdfast-restart-" + config.edgeId());
              thread.setDaemon(true);
              return thread;
            });
    processes.onEnd("edge " + config.edgeId(), this);
    processes.allow(1_000L * config.drain().seconds());
  }

  /** Returns once it takes connections. */
  synchronized void start() {
    if (closed) {
      return;
    }
    EdgeNode starting = new EdgeNode(config.withPort(port), pages);
    node = starting;
    processes.failOn(starting.fatal());
    processes.endOn(starting.drainAsked());
    starting.start();
    port = starting.port();
    up = true;
  }

  EdgeConfig config() {
    return config;
  }

  /** The port that is served, also while it is down. */
  int port() {
    return port;
  }

  boolean isUp() {
    return up;
  }

  /** Ends it abruptly, soon; it starts again some seconds later. */
  EdgeBoard.Kill kill() {
    synchronized (this) {
      if (!up || closed) {
        return EdgeBoard.Kill.DOWN;
      }
      up = false;
      var unused = timer.schedule(this::die, LAST_WORD_MS, TimeUnit.MILLISECONDS);
    }
    return EdgeBoard.Kill.DYING;
  }

  private synchronized void die() {
    if (node != null && !closed) {
      LOG.info("edge {} is killed, as was asked for", config.edgeId());
      node.abort();
      node = null;
      var unused = timer.schedule(this::comeBack, DEAD_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void comeBack() {
    try {
      start();
    } catch (RuntimeException e) {
      LOG.warn("edge {} cannot come back and tries again: {}", config.edgeId(), e.getMessage());
      var unused = timer.schedule(this::comeBack, DEAD_MS, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    up = false;
    timer.shutdownNow();
    if (node != null) {
      node.close();
    }
  }
}
