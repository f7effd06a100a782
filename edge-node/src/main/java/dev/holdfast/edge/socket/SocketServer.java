package dev.holdfast.edge.socket;

import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.history.Queries;
import dev.holdfast.edge.page.Pages;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.edge.tls.TlsContext;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.xnio.OptionMap;

/** The listening socket and its routes. */
public final class SocketServer {
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
  private final Listener server;
  private final LastAnswers answers;

  /**
   * @param queries asks the log for mailboxes
   * @param draining whether new connections are to be refused
   * @param ready whether the node takes traffic, draining aside
   * @param metrics the page of {@code GET /metrics}; null where it is not for clients
   * @param admission who may come in
   * @param pages what is served beside the edge's own paths
   * @param tls what connections are encrypted with, or null
   */
  public SocketServer(
      String host,
      int port,
      SessionContext context,
      Queries queries,
      BooleanSupplier draining,
      BooleanSupplier ready,
      @Nullable Supplier<byte[]> metrics,
      Admission admission,
      Pages pages,
      @Nullable TlsContext tls) {
    this.host = host;
    this.port = port;
    HttpApi api = new HttpApi(context, () -> !draining.getAsBoolean() && ready.getAsBoolean());
    this.upgrade = new Upgrade(context, draining, admission);
    HistoryApi history = new HistoryApi(context, queries, admission);
    HttpHandler routes =
        new Routes(
                upgrade,
                api,
                history,
                new ChannelHistoryApi(context, admission),
                context.access().origins(),
                metrics)
            .handler(context.counters(), pages);
    this.answers = new LastAnswers(routes, draining);
    this.server =
        new Listener(
            host,
            port,
            new BodyDeadline(answers, context.later(), context.limits().bodyTimeoutMs()),
            OptionMap.builder()
                .set(UndertowOptions.REQUEST_PARSE_TIMEOUT, (int) context.limits().helloTimeoutMs())
                .set(UndertowOptions.MAX_HEADER_SIZE, MAX_HEAD_BYTES)
                .set(UndertowOptions.MAX_HEADERS, MAX_HEADERS)
                .set(UndertowOptions.DECODE_URL, false) // see Decoded
                .set(UndertowOptions.NO_REQUEST_TIMEOUT, NO_REQUEST_TIMEOUT_MS)
                .set(UndertowOptions.QUEUED_FRAMES_HIGH_WATER_MARK, QUEUED_FRAMES)
                .getMap(),
            next -> new AcceptGate(next, admission, context, upgrade::endings),
            tls);
  }

  /**
   * Binds.
   *
   * @throws IllegalStateException with a sentence for the operator, when the port is taken
   */
  public void start() {
    try {
      server.start();
    } catch (BindException e) {
      throw new IllegalStateException(
          "cannot listen on " + host + ":" + port + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen on " + host + ":" + port, e);
    }
  }

  /** The port that was bound. */
  public int port() {
    return server.port();
  }

  /** Bytes that wait on this node, for clients or from them. */
  public long queuedBytes() {
    return upgrade.queuedBytes();
  }

  /** Resets every WebSocket, as the end of a process would. */
  public void resetSockets() {
    upgrade.resetSockets();
  }

  /** Lets answers that are under way out, for a second at most, and drops whatever is left. */
  public void close() {
    answers.await(ANSWERS_MS);
    server.close();
  }
}
