package dev.holdfast.edge.socket;

import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.presence.PresenceState;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.id.Names;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.SameThreadExecutor;
import io.undertow.util.StatusCodes;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/presence/<user>}: who is online, as this edge reads it. No I/O thread waits. */
final class PresenceApi implements HttpHandler {
  private static final String NOT_KNOWN = "presence cannot be known now";

  private final SessionContext context;
  private final BearerAuth auth;

  PresenceApi(SessionContext context) {
    this.context = context;
    Access access = context.access();
    this.auth = new BearerAuth(access, context.counters());
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) {
    if (!HttpApi.isRead(exchange)) {
      HttpApi.methodNotAllowed(exchange, "GET, HEAD");
      return;
    }
    String path = exchange.getRelativePath();
    String user = path.startsWith("/") ? path.substring(1) : path;
    if (user.isEmpty() || user.indexOf('/') >= 0) {
      HttpApi.notFound(exchange);
    } else if (!Names.valid(user)) {
      Problem.answer(
          exchange,
          StatusCodes.BAD_REQUEST,
          ErrorCode.BAD_FRAME.wire(),
          "a user is 1-" + Names.MAX_LENGTH + " characters of [A-Za-z0-9._~@:-]");
    } else if (auth.admitsPresence(exchange, user)) {
      exchange.dispatch(SameThreadExecutor.INSTANCE, () -> ask(exchange, user));
    }
  }

  private void ask(HttpServerExchange exchange, String user) {
    AtomicReference<@Nullable HttpServerExchange> open = new AtomicReference<>(exchange);
    boolean taken =
        context
            .presence()
            .lookup(user, state -> HttpApi.answer(open, asked -> answer(asked, state)));
    if (!taken) {
      later(exchange, "too many requests wait for presence");
    }
  }

  private static void answer(HttpServerExchange exchange, @Nullable PresenceState state) {
    if (state == null) {
      later(exchange, NOT_KNOWN);
    } else {
      Problem.json(exchange, StatusCodes.OK, "application/json", state.body());
    }
  }

  private static void later(HttpServerExchange exchange, String why) {
    Problem.retryLater(exchange, HttpApi.RETRY_AFTER_S, ErrorCode.OVERLOADED.wire(), why);
  }
}
