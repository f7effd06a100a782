package dev.holdfast.edge.socket;

import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.admission.ConnectionGuard;
import dev.holdfast.edge.admission.Pacer;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.edge.session.Session;
import dev.holdfast.edge.session.SessionContext;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import io.undertow.util.Methods;
import io.undertow.util.StatusCodes;
import io.undertow.websockets.WebSocketConnectionCallback;
import io.undertow.websockets.WebSocketProtocolHandshakeHandler;
import io.undertow.websockets.core.WebSocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.xnio.XnioIoThread;

/** {@code GET /v1/ws}: decides whether a socket is taken, then makes its session. */
final class Upgrade implements HttpHandler {
  /** The subprotocol that is served. */
  static final String SUBPROTOCOL = "holdfast.v1";

  private static final HttpString PROTOCOL = Headers.SEC_WEB_SOCKET_PROTOCOL;

  private final SessionContext context;
  private final Doorkeeper door;
  private final int bandwidth;
  private final NodeBudget node;
  private final BearerAuth auth;
  private final WebSocketProtocolHandshakeHandler handshake;

  /** By I/O thread, of which there are a few. */
  private final Map<XnioIoThread, Writers> writers = new ConcurrentHashMap<>();

  Upgrade(SessionContext context, BooleanSupplier draining, Admission admission) {
    this.context = context;
    this.door = new Doorkeeper(context, draining, admission);
    this.bandwidth = admission.config().bandwidth();
    this.node = new NodeBudget(context.limits().nodeQueueBytes());
    this.auth = new BearerAuth(context.access(), context.counters());
    this.handshake =
        new WebSocketProtocolHandshakeHandler(
            List.of(new Handshake(SUBPROTOCOL)),
            (WebSocketConnectionCallback)
                (exchange, channel) ->
                    opened(
                        channel,
                        Handshake.sink(exchange),
                        Handshake.source(exchange),
                        BearerAuth.of(exchange),
                        Doorkeeper.of(exchange)),
            Upgrade::noUpgrade);
  }

  /** Bytes queued for all connections, and held for them. */
  long queuedBytes() {
    return node.used();
  }

  /** Resets every socket; each on its I/O thread, soon. */
  void resetSockets() {
    handshake.getPeerConnections().forEach(SocketTransport::reset);
  }

  /** Who of an I/O thread is to be closed. */
  Endings endings(XnioIoThread thread) {
    return writers(thread).endings();
  }

  private Writers writers(XnioIoThread thread) {
    return writers.computeIfAbsent(thread, Writers::new);
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) throws Exception {
    writers(exchange.getIoThread()).writeFirst();
    if (!exchange.getRequestMethod().equals(Methods.GET)) {
      HttpApi.methodNotAllowed(exchange, "GET");
    } else if (!asksForWebSocket(exchange.getRequestHeaders())) {
      noUpgrade(exchange);
    } else if (!offersOurs(exchange)) {
      Problem.answer(
          exchange,
          StatusCodes.BAD_REQUEST,
          "unknown_subprotocol",
          "the subprotocol served is " + SUBPROTOCOL);
    } else if (door.admits(exchange)) {
      admitted(exchange);
    }
  }

  /** Tokens are checked only for whom the limits let in, since that costs more. */
  private void admitted(HttpServerExchange exchange) throws Exception {
    if (auth.admitsUpgrade(exchange) && door.admitsUser(exchange, BearerAuth.of(exchange))) {
      door.watch(exchange);
      handshake.handleRequest(exchange);
    } else {
      Doorkeeper.release(exchange);
    }
  }

  /** Undertow looks at version and key alone. */
  private static boolean asksForWebSocket(HeaderMap headers) {
    return names(headers.get(Headers.CONNECTION), "upgrade")
        && names(headers.get(Headers.UPGRADE), "websocket");
  }

  private static boolean names(@Nullable HeaderValues lines, String token) {
    return lines != null
        && Arrays.stream(String.join(",", lines).split(",", -1))
            .map(String::trim)
            .anyMatch(token::equalsIgnoreCase);
  }

  /** Whether the client offers our subprotocol or none; several header lines become one. */
  private static boolean offersOurs(HttpServerExchange exchange) {
    HeaderValues lines = exchange.getRequestHeaders().get(PROTOCOL);
    if (lines == null || lines.isEmpty()) {
      return true;
    }
    String all = String.join(",", lines);
    if (lines.size() > 1) {
      exchange.getRequestHeaders().put(PROTOCOL, all);
    }
    return Arrays.stream(all.split(",", -1)).map(String::trim).anyMatch(SUBPROTOCOL::equals);
  }

  private static void noUpgrade(HttpServerExchange exchange) {
    exchange.setPersistent(false); // what was admitted holds its place until the socket is gone
    exchange.getResponseHeaders().put(Headers.UPGRADE, "websocket");
    exchange.getResponseHeaders().put(Headers.SEC_WEB_SOCKET_VERSION, "13");
    Problem.answer(
        exchange,
        StatusCodes.UPGRADE_REQUIRED,
        "upgrade_required",
        "this is a WebSocket endpoint, version 13");
  }

  private void opened(
      WebSocketChannel channel,
      FrameSink sink,
      FrameSource source,
      @Nullable Credential credential,
      ConnectionGuard guard) {
    Pacer pacer = bandwidth == 0 ? Pacer.NONE : new Pacer(bandwidth, context.ticker());
    Writers own = writers(channel.getIoThread());
    SocketTransport transport =
        new SocketTransport(channel, sink, source, own, context.limits().queueBytes(), node, pacer);
    Session session = context.sessions().open(transport, context, credential, guard);
    FrameListener listener = new FrameListener(session, transport, context.limits().frameBytes());
    transport.whenOver(session::onSocketClosed);
    channel.addCloseTask(
        closed -> {
          transport.over();
          transport.gone();
          listener.gone();
        });
    channel.getReceiveSetter().set(listener);
    channel.resumeReceives();
  }
}
