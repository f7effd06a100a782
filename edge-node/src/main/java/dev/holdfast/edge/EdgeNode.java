package dev.holdfast.edge;

import dev.holdfast.edge.admin.AdminServer;
import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.channel.ChannelCounters;
import dev.holdfast.edge.drain.Drain;
import dev.holdfast.edge.egress.DeliveryReader;
import dev.holdfast.edge.egress.KafkaLayout;
import dev.holdfast.edge.egress.KafkaProbe;
import dev.holdfast.edge.history.Queries;
import dev.holdfast.edge.ingress.EventPublisher;
import dev.holdfast.edge.metrics.EdgeMetrics;
import dev.holdfast.edge.metrics.TrafficLog;
import dev.holdfast.edge.page.Pages;
import dev.holdfast.edge.presence.PresenceCounters;
import dev.holdfast.edge.session.AckFlusher;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.edge.socket.SocketServer;
import dev.holdfast.edge.tls.TlsContext;
import dev.holdfast.frame.FrameReader;
import dev.holdfast.metrics.Scrape;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One edge node: sockets on one side, Kafka on the other, no state that matters.
 *
 * <pre>
 *  socket ──> session ──> ingress ⇒ holdfast.events
 *  socket <── session <── egress  ⇐ holdfast.deliveries (this edge's partition)
 * </pre>
 *
 * It wires the four by constructor. It is ready once Kafka answered, the end of its partition is
 * resolved and the port is bound, in this order: no connection can be answered where nobody reads.
 */
public final class EdgeNode implements AutoCloseable {
  private static final Duration KAFKA_TIMEOUT = Duration.ofSeconds(30);

  private static final InstantSource CLOCK = InstantSource.system();
  private static final Logger LOG = LoggerFactory.getLogger(EdgeNode.class);

  private final EdgeConfig config;
  private final Pages pages;
  private final EdgeCounters counters = new EdgeCounters();
  private final ChannelCounters channelCounters = new ChannelCounters();
  private final Sessions sessions = new Sessions();
  private final PresenceCounters presenceCounters = new PresenceCounters();
  private final CompletableFuture<String> fatal = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Deque<Runnable> onClose = new ArrayDeque<>();
  private final CompletableFuture<Boolean> drainAsked = new CompletableFuture<>();
  private volatile BooleanSupplier ready = () -> false;
  private volatile Supplier<byte[]> metricsPage = () -> new byte[0];
  private volatile int adminPort = -1;
  private volatile int port;
  private volatile boolean draining;
  private volatile @Nullable Farewell farewell;
  private volatile Runnable resetSockets = () -> {};

  public EdgeNode(EdgeConfig config) {
    this(config, Pages.NONE);
  }

  /**
   * @param pages what is served at paths that are not the edge's own
   */
  public EdgeNode(EdgeConfig config, Pages pages) {
    this.config = config;
    this.pages = pages;
  }

  /**
   * Starts and returns once the node is ready.
   *
   * @throws RuntimeException with a sentence for the operator, when it cannot
   */
  public synchronized void start() {
    try {
      admin();
      wire();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** The port that is served, also when the configuration left the choice open. */
  public int port() {
    return port;
  }

  /** Completes with a sentence when the node cannot go on; it is then to be closed. */
  public CompletableFuture<String> fatal() {
    return fatal;
  }

  /** The admin port that is served; below 0: none. */
  public int adminPort() {
    return adminPort;
  }

  /**
   * Takes no more connections and asks to be closed; from now on the node is not ready. Called
   * again it changes nothing.
   */
  public void drain() {
    draining = true;
    drainAsked.complete(true);
  }

  /** Completes when {@link #drain} was called; the node is then to be closed. */
  public CompletableFuture<Boolean> drainAsked() {
    return drainAsked;
  }

  /** What the node counted since its start. */
  public EdgeCounters counters() {
    return counters;
  }

  /**
   * Takes no more connections, closes those it has with 4001 over the configured time, tells the
   * log, stops. Takes a few seconds longer than the drain at most.
   */
  @Override
  public void close() {
    draining = true;
    if (closed.compareAndSet(false, true)) {
      synchronized (onClose) {
        while (!onClose.isEmpty()) {
          quietly(onClose.pop());
        }
      }
    }
  }

  /**
   * Ends as abruptly as a process does that is killed: sockets are reset, what is not yet with
   * Kafka is forgotten, the log hears no disconnects. For demonstrations; takes a few seconds.
   */
  public void abort() {
    Farewell leave = farewell;
    if (leave != null && !closed.get()) {
      draining = true;
      leave.abort();
      resetSockets.run();
    }
    close();
  }

  private void wire() {
    TlsContext tls = TlsContext.of(config.tls(), CLOCK); // first: bad files are told at once
    KafkaLayout layout =
        KafkaLayout.resolve(config.bootstrap(), config.edgeId(), config.kafka(), KAFKA_TIMEOUT);
    RandomGenerator random = new SecureRandom();
    int partition = layout.partitionOf(config.edgeId());
    EdgeIdentity identity = new EdgeIdentity(config.edgeId(), partition, CLOCK.millis(), random);
    Ticker ticker = new Ticker("holdfast-ticker-" + config.edgeId(), this::fail);
    undo(ticker::close);
    Parts parts = new Parts(config, layout, identity, counters, this::fail, this::undo);
    EventPublisher publisher = parts.ingress();
    Queries queries = new Queries(publisher, identity, counters, ticker, Ticker::nowMs);
    DeliveryReader reader = parts.egress(sessions, publisher, queries);
    SessionContext context =
        new SessionContext(
            publisher,
            config.limits(),
            new FrameReader(config.limits()),
            counters,
            identity,
            sessions,
            new AckFlusher(),
            ticker,
            Ticker::nowMs,
            CLOCK,
            random,
            parts.access(),
            parts.channels(channelCounters),
            parts.presence(presenceCounters));
    publisher.start();
    reader.start();
    ticker.every(Ticker.ACKS_MS, () -> context.flusher().flush(Ticker.nowMs()));
    ticker.every(Ticker.SWEEP_MS, () -> sessions.sweep(Ticker.nowMs()));
    serve(context, parts.probe(ticker, reader), publisher, reader, queries, tls);
    ticker.every(TrafficLog.INTERVAL_MS, new TrafficLog(config.edgeId(), counters));
    Drain drain = new Drain(sessions, Ticker::nowMs, Thread::sleep, random);
    Farewell leave = new Farewell(drain, publisher, counters);
    farewell = leave;
    undo(leave::flush);
    undo(() -> leave.closeConnections(config.drain().seconds(), fatal.isDone()));
    LOG.atInfo().log(
        "edge {} takes connections on port {}; incarnation {}, deliveries partition {}",
        config.edgeId(),
        port,
        identity.current().incarnation(),
        partition);
  }

  /** Answers first and goes last, so that whoever asks meanwhile hears that it is not ready. */
  private void admin() {
    if (config.drain().adminPort() >= 0) {
      AdminServer admin = new AdminServer(config.drain().adminHost(), config.drain().adminPort());
      undo(admin::close);
      adminPort =
          admin
              .drain(this::drain)
              .readiness(() -> !draining && ready.getAsBoolean())
              .page("/metrics", Scrape.CONTENT_TYPE, () -> metricsPage.get())
              .start()
              .port();
    }
  }

  private void serve(
      SessionContext context,
      KafkaProbe probe,
      EventPublisher publisher,
      DeliveryReader reader,
      Queries queries,
      @Nullable TlsContext tls) {
    BooleanSupplier up = () -> probe.answered() && !fatal.isDone();
    EdgeMetrics metrics = new EdgeMetrics(config.edgeId(), counters, sessions);
    undo(metrics::close);
    metrics.channels(channelCounters);
    metricsPage = metrics::page;
    SocketServer server =
        new SocketServer(
            config.host(),
            config.port(),
            context,
            queries,
            () -> draining,
            up,
            config.drain().adminPort() >= 0 ? null : metricsPage,
            new Admission(config.admission(), Ticker::nowMs, context.random()),
            pages,
            tls);
    metrics.ready(() -> up.getAsBoolean() && !draining);
    metrics.presence(presenceCounters);
    metrics.queues(
        () -> publisher.depth().records(),
        () -> publisher.depth().bytes(),
        server::queuedBytes,
        reader::lag);
    undo(server::close);
    resetSockets = server::resetSockets;
    server.start();
    port = server.port();
    ready = up;
  }

  /** What {@link #close} does, the last first. */
  private void undo(Runnable step) {
    synchronized (onClose) {
      onClose.push(step);
    }
  }

  private void fail(String why) {
    if (!closed.get() && fatal.complete(why)) {
      LOG.atError().log("edge {} cannot go on: {}", config.edgeId(), why);
    }
  }

  private static void quietly(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.atWarn().setCause(e).log("a part did not stop in order");
    }
  }
}
