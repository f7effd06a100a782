package dev.holdfast.delivery;

import dev.holdfast.delivery.source.SourceSpec;
import dev.holdfast.delivery.source.forward.SourceClients;
import dev.holdfast.delivery.source.forward.Sources;
import dev.holdfast.delivery.topology.DeliveryStreams;
import dev.holdfast.metrics.Scrape;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The delivery-streams process: checks, the streams application, mailbox sources, and its health
 * over HTTP.
 */
public final class DeliveryApp implements AutoCloseable {
  private final DeliveryConfig config;
  private final List<SourceSpec> specs;
  private final Scrape scrape;
  private final CompletableFuture<String> fatal = new CompletableFuture<>();
  // Volatile, not locked: health must answer, and an end must be heard, while the start still
  // waits.
  private volatile @Nullable DeliveryStreams streams;
  private volatile @Nullable Sources sources;
  private volatile @Nullable HealthServer health;

  public DeliveryApp(DeliveryConfig config) {
    this(config, List.of());
  }

  /**
   * @param sources topics whose records are copied into the log beside it
   */
  public DeliveryApp(DeliveryConfig config, List<SourceSpec> sources) {
    this.config = config;
    this.specs = sources;
    this.scrape = new Scrape("replica", config.replica());
  }

  /**
   * Starts; returns before the tasks run.
   *
   * @throws StartRefused with what is wrong and what to do
   */
  public void start() {
    if (config.healthPort() >= 0) {
      health = HealthServer.start(config.healthHost(), config.healthPort(), this);
    }
    DeliveryStreams started = new DeliveryStreams(config, InstantSource.system(), fatal, scrape);
    streams = started;
    SourceClients clients = new SourceClients(config.bootstrap(), config.kafka());
    Sources copied = new Sources(specs, clients, scrape, fatal);
    sources = copied;
    started.start();
    copied.start();
  }

  /** Waits until every assigned task runs for the first time, and every source has a position. */
  public void awaitRunning(Duration patience) throws InterruptedException, TimeoutException {
    DeliveryStreams started = streams;
    Sources copied = sources;
    if (started == null || copied == null) {
      throw new IllegalStateException("start it first");
    }
    started.awaitRunning(patience);
    copied.awaitBegun(patience);
  }

  /** The port of {@code /healthz}, {@code /readyz} and {@code /metrics}. */
  public int healthPort() {
    HealthServer server = health;
    if (server == null) {
      throw new IllegalStateException("there is no health server");
    }
    return server.port();
  }

  byte[] metrics() {
    return scrape.page();
  }

  boolean ready() {
    DeliveryStreams started = streams;
    return started != null && started.ready();
  }

  /** Of the hot pair: {@code both}, {@code alone} or {@code none}. */
  String pair() {
    DeliveryStreams started = streams;
    return started == null ? "none" : started.pair();
  }

  boolean alive() {
    DeliveryStreams started = streams;
    return started == null || started.alive();
  }

  /** Completes with the reason when the application has stopped by itself. */
  public CompletableFuture<String> fatal() {
    return fatal;
  }

  @Override
  public void close() {
    Sources copied = sources;
    if (copied != null) {
      copied.close();
    }
    DeliveryStreams started = streams;
    if (started != null) {
      started.close();
    }
    HealthServer server = health;
    if (server != null) {
      server.close();
    }
    scrape.close();
  }
}
