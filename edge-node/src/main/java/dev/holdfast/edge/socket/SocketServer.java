package dev.holdfast.edge.socket;

import dev.holdfast.edge.session.SessionContext;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpHandler;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.xnio.Options;

/** The listening socket and its routes. */
public final class SocketServer {
  private static final int BACKLOG = 4_096;

  /** A token of some KiB fits; beyond these the request is refused and its connection closed. */
  private static final int MAX_HEAD_BYTES = 32 * 1024;

  private static final int MAX_HEADERS = 100;
  private static final int NO_REQUEST_TIMEOUT_MS = 60_000;
  private static final long ANSWERS_MS = 1_000;

  /** Undertow stops reading at so many queued frames; our own queue bounds them by bytes. */
  private static final int QUEUED_FRAMES = 1 << 20;

  private final String host;
  private final int port;
  private final Upgrade upgrade;
  private final Undertow server;
  private final LastAnswers answers;

  /**
   * @param draining whether new connections are to be refused
   * @param ready whether the node takes traffic, draining aside
   * @param metrics the page of {@code GET /metrics}
   */
  public SocketServer(
      String host,
      int port,
      SessionContext context,
      BooleanSupplier draining,
      BooleanSupplier ready,
      Supplier<byte[]> metrics) {
    this.host = host;
    this.port = port;
    this.upgrade = new Upgrade(context, draining);
    HttpApi api = new HttpApi(context, () -> !draining.getAsBoolean() && ready.getAsBoolean());
    HttpHandler routes = new Routes(upgrade, api, metrics).handler(context.counters());
    this.answers = new LastAnswers(routes, draining);
    this.server =
        Undertow.builder()
            .addHttpListener(
                port,
                host,
                new BodyDeadline(answers, context.later(), context.limits().bodyTimeoutMs()))
            .setWorkerThreads(2)
            // Undertow unmasks byte by byte, which costs several times as much in a direct buffer.
            .setDirectBuffers(false)
            .setSocketOption(Options.BACKLOG, BACKLOG)
            .setSocketOption(Options.TCP_NODELAY, true)
            .setServerOption(
                UndertowOptions.REQUEST_PARSE_TIMEOUT, (int) context.limits().helloTimeoutMs())
            .setServerOption(UndertowOptions.MAX_HEADER_SIZE, MAX_HEAD_BYTES)
            .setServerOption(UndertowOptions.MAX_HEADERS, MAX_HEADERS)
            .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, NO_REQUEST_TIMEOUT_MS)
            .setServerOption(UndertowOptions.QUEUED_FRAMES_HIGH_WATER_MARK, QUEUED_FRAMES)
            .build();
  }

  /**
   * Binds.
   *
   * @throws IllegalStateException with a sentence for the operator, when the port is taken
   */
  public void start() {
    try {
      server.start();
    } catch (RuntimeException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof BindException) {
          throw new IllegalStateException(
              "cannot listen on " + host + ":" + port + ": " + cause.getMessage(), e);
        }
      }
      throw e;
    }
  }

  /** The port that was bound. */
  public int port() {
    return ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
  }

  /** Bytes that wait on this node, for clients or from them. */
  public long queuedBytes() {
    return upgrade.queuedBytes();
  }

  /** Lets answers that are under way out, for a second at most, and drops whatever is left. */
  public void close() {
    answers.await(ANSWERS_MS);
    server.stop();
  }
}
