package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.FakeChannels;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.history.Queries;
import dev.holdfast.edge.metrics.EdgeMetrics;
import dev.holdfast.edge.page.Pages;
import dev.holdfast.edge.presence.FakePresence;
import dev.holdfast.edge.presence.PresenceCounters;
import dev.holdfast.edge.session.AckFlusher;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.edge.tls.TlsContext;
import dev.holdfast.frame.FrameReader;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A real server on a free port, over a log in memory. */
final class TestServer implements AutoCloseable {
  final FakeLog log = new FakeLog();
  final FakeChannels channels;
  final Sessions sessions = new Sessions();
  final EdgeCounters counters = new EdgeCounters();
  final FakePresence presence = new FakePresence();
  final SessionContext context;
  final Queries queries;
  final EdgeMetrics metrics;
  final Admission admission;
  volatile Pages pages = Pages.NONE;
  volatile boolean draining;
  volatile boolean ready = true;

  /** What is to be done later is done so many times sooner. */
  volatile int hurry = 1;

  private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
  private final SocketServer server;

  TestServer(Limits limits) {
    this(limits, AuthConfig.OFF);
  }

  TestServer(Limits limits, FakeChannels channels) {
    this(limits, AuthConfig.OFF, AdmissionConfig.OPEN, null, channels);
  }

  TestServer(Limits limits, AuthConfig auth) {
    this(limits, auth, AdmissionConfig.OPEN, null);
  }

  TestServer(Limits limits, AdmissionConfig config, @Nullable TlsContext tls) {
    this(limits, AuthConfig.OFF, config, tls);
  }

  TestServer(Limits limits, AuthConfig auth, AdmissionConfig config, @Nullable TlsContext tls) {
    this(limits, auth, config, tls, new FakeChannels());
  }

  private TestServer(
      Limits limits,
      AuthConfig auth,
      AdmissionConfig config,
      @Nullable TlsContext tls,
      FakeChannels channels) {
    this.channels = channels;
    log.welcomes = sessions;
    context =
        new SessionContext(
            log,
            limits,
            new FrameReader(limits),
            counters,
            new EdgeIdentity("edge-1", 0, 1_700_000_000_000L, new Random(1)),
            sessions,
            new AckFlusher(),
            (delayMs, task) -> {
              try {
                var unused = later.schedule(task, delayMs / hurry, TimeUnit.MILLISECONDS);
              } catch (RejectedExecutionException e) {
                // The test is over.
              }
            },
            TestServer::nowMs,
            InstantSource.system(),
            new Random(2),
            Access.of(auth, InstantSource.system(), TestServer::nowMs),
            channels,
            presence);
    queries = new Queries(log, context.identity(), counters, context.later(), TestServer::nowMs);
    metrics = new EdgeMetrics("edge-1", counters, sessions);
    admission = new Admission(config, TestServer::nowMs, new Random(3));
    server =
        new SocketServer(
            "127.0.0.1",
            0,
            context,
            queries,
            () -> draining,
            () -> ready,
            metrics::page,
            admission,
            request -> pages.answer(request),
            tls);
    metrics.ready(() -> ready && !draining);
    metrics.presence(new PresenceCounters());
    metrics.queues(() -> 0, () -> 0, server::queuedBytes, () -> 0);
    server.start();
    var unused =
        later.scheduleWithFixedDelay(
            () -> {
              context.flusher().flush(nowMs());
              sessions.sweep(nowMs());
            },
            20,
            20,
            TimeUnit.MILLISECONDS);
  }

  static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }

  int port() {
    return server.port();
  }

  long queuedBytes() {
    return server.queuedBytes();
  }

  /** Waits until nobody is connected and nothing is held for anybody. */
  void awaitQuiet() throws InterruptedException {
    await(() -> sessions.size() == 0 && sessions.awaitingWelcome() == 0 && queuedBytes() == 0);
    assertThat(sessions.size()).as("sessions").isZero();
    assertThat(sessions.awaitingWelcome()).as("sessions without welcome").isZero();
    assertThat(queuedBytes()).as("bytes on the node's account").isZero();
  }

  /** Waits until so many are connected. */
  void awaitSessions(int count) throws InterruptedException {
    await(() -> sessions.size() == count);
    assertThat(sessions.size()).isEqualTo(count);
  }

  /** Waits for so many frames besides the hello. */
  void awaitFramesIn(int count) throws InterruptedException {
    await(() -> counters.framesIn.sum() > count);
    assertThat(counters.framesIn.sum()).isGreaterThan(count);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = nowMs() + 10_000;
    while (!condition.getAsBoolean() && nowMs() < end) {
      Thread.sleep(5);
    }
  }

  @Override
  public void close() {
    later.shutdownNow();
    context.access().close();
    server.close();
  }
}
