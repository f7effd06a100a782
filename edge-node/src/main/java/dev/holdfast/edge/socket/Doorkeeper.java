package dev.holdfast.edge.socket;

import dev.holdfast.Limits;
import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.admission.ConnectionGuard;
import dev.holdfast.edge.admission.Decision;
import dev.holdfast.edge.admission.Refusal;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.edge.session.Seldom;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.edge.session.Sessions;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.AttachmentKey;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import io.undertow.util.StatusCodes;
import io.undertow.websockets.spi.WebSocketHttpExchange;
import java.net.InetAddress;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers those who ask for a WebSocket and may not have one: 429 when it is about their address,
 * 503 when it is about the node. The connection is closed behind the answer, so that whoever is
 * refused holds nothing; its next attempt is to be a new one anyway.
 */
final class Doorkeeper {
  private static final AttachmentKey<ConnectionGuard> GUARD =
      AttachmentKey.create(ConnectionGuard.class);

  private static final Logger LOG = LoggerFactory.getLogger(Doorkeeper.class);

  private final SessionContext context;
  private final BooleanSupplier draining;
  private final Admission admission;
  private final Seldom seldom = new Seldom();

  Doorkeeper(SessionContext context, BooleanSupplier draining, Admission admission) {
    this.context = context;
    this.draining = draining;
    this.admission = admission;
  }

  /** Whether the upgrade may go on; otherwise it was answered. */
  boolean admits(HttpServerExchange exchange) {
    Refusal full = full();
    if (full != null) {
      refuse(exchange, full, admission.nodeRetryS());
      return false;
    }
    InetAddress peer = exchange.getSourceAddress().getAddress();
    List<String> forwarded = forwarded(exchange);
    Decision decision = admission.connect(admission.origin(peer, forwarded));
    Refusal refusal = decision.refusal();
    if (refusal != null) {
      warnOfProxy(refusal, peer, forwarded);
      refuse(exchange, refusal, decision.retryAfterS());
      return false;
    }
    exchange.putAttachment(GUARD, decision.guard());
    return true;
  }

  /**
   * Whether the user may come now, when the upgrade's token already said who it is; otherwise the
   * hello's will be judged.
   */
  boolean admitsUser(HttpServerExchange exchange, @Nullable Credential credential) {
    if (credential == null) {
      return true;
    }
    long waitMs = admission.user(credential.user());
    if (waitMs > 0) {
      refuse(exchange, Refusal.USER_RATE, (int) (waitMs / 1_000) + 1);
      return false;
    }
    guard(exchange).userKnown();
    return true;
  }

  /** The upgrade goes on: its place is left when the socket is gone. */
  void watch(HttpServerExchange exchange) {
    ConnectionGuard guard = guard(exchange);
    exchange.getConnection().addCloseListener(closed -> guard.gone());
    if (!exchange.getConnection().isOpen()) {
      guard.gone();
    }
  }

  /** The upgrade was refused after all: its place is free again. */
  static void release(HttpServerExchange exchange) {
    guard(exchange).gone();
  }

  /** What watches the connection that this exchange became. */
  static ConnectionGuard of(WebSocketHttpExchange exchange) {
    return exchange.getAttachment(GUARD);
  }

  private static ConnectionGuard guard(HttpServerExchange exchange) {
    return exchange.getAttachment(GUARD);
  }

  private @Nullable Refusal full() {
    Limits limits = context.limits();
    Sessions sessions = context.sessions();
    if (draining.getAsBoolean()) {
      return Refusal.DRAINING;
    }
    if (sessions.size() >= limits.maxConnections()) {
      return Refusal.NODE_CONNECTIONS;
    }
    return sessions.awaitingWelcome() >= limits.awaitingWelcome()
        ? Refusal.NODE_AWAITING_WELCOME
        : null;
  }

  private void refuse(HttpServerExchange exchange, Refusal refusal, int retryAfterS) {
    context.counters().upgradesRefused.increment();
    context.counters().turnedAway(refusal).increment();
    exchange.setPersistent(false);
    if (refusal.status() == StatusCodes.TOO_MANY_REQUESTS) {
      Problem.retryLater(
          exchange,
          StatusCodes.TOO_MANY_REQUESTS,
          retryAfterS,
          "rate_limited",
          refusal == Refusal.USER_RATE
              ? "too many connections of this user"
              : "too many connections from this address");
    } else {
      Problem.retryLater(
          exchange, retryAfterS, "overloaded", "this node takes no more connections for now");
    }
  }

  /** A forgotten option would otherwise count all clients behind a balancer as one. */
  private void warnOfProxy(Refusal refusal, InetAddress peer, List<String> forwarded) {
    boolean ours = admission.config().trustedProxy().contains(peer);
    boolean byAddress = refusal.status() == StatusCodes.TOO_MANY_REQUESTS;
    if (byAddress && !ours && !forwarded.isEmpty() && seldom.now()) {
      LOG.warn(
          "refused a connection from {} by the limits of one address; its X-Forwarded-For is not"
              + " believed. If that is your proxy, give --trusted-proxy {}",
          peer.getHostAddress(),
          peer.getHostAddress());
    }
  }

  /** What {@code X-Forwarded-For} says, line by line. */
  static List<String> forwarded(HttpServerExchange exchange) {
    HeaderValues lines = exchange.getRequestHeaders().get(Headers.X_FORWARDED_FOR);
    return lines == null ? List.of() : lines;
  }
}
