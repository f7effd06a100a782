package dev.holdfast.delivery;

import dev.holdfast.delivery.topology.DeliveryStreams;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The delivery-streams process: checks, the streams application, and its health over HTTP. */
public final class DeliveryApp implements AutoCloseable {
  private final DeliveryConfig config;
  private final CompletableFuture<String> fatal = new CompletableFuture<>();
  private @Nullable DeliveryStreams streams;
  private @Nullable HealthServer health;

  public DeliveryApp(DeliveryConfig config) {
    this.config = config;
  }

  /**
   * Starts; returns before the tasks run.
   *
   * @throws StartRefused with what is wrong and what to do
   */
  public synchronized void start() {
    if (config.healthPort() >= 0) {
      health = HealthServer.start(config.healthHost(), config.healthPort(), this);
    }
    DeliveryStreams started = new DeliveryStreams(config, InstantSource.system(), fatal);
    streams = started;
    started.start();
  }

  /** Waits until every assigned task runs for the first time. */
  public void awaitRunning(Duration patience) throws InterruptedException, TimeoutException {
    DeliveryStreams started = current();
    if (started == null) {
      throw new IllegalStateException("start it first");
    }
    started.awaitRunning(patience);
  }

  /** The port of {@code /healthz} and {@code /readyz}. */
  public synchronized int healthPort() {
    HealthServer server = health;
    if (server == null) {
      throw new IllegalStateException("there is no health server");
    }
    return server.port();
  }

  boolean ready() {
    DeliveryStreams started = current();
    return started != null && started.ready();
  }

  boolean alive() {
    DeliveryStreams started = current();
    return started == null || started.alive();
  }

  private synchronized @Nullable DeliveryStreams current() {
    return streams;
  }

  /** Completes with the reason when the application has stopped by itself. */
  public CompletableFuture<String> fatal() {
    return fatal;
  }

  @Override
  public void close() {
    DeliveryStreams started = current();
    if (started != null) {
      started.close();
    }
    synchronized (this) {
      if (health != null) {
        health.close();
        health = null;
      }
    }
  }
}
