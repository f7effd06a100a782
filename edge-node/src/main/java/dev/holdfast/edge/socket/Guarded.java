package dev.holdfast.edge.socket;

import dev.holdfast.edge.session.Seldom;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.StatusCodes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers a handler's fault with a problem, as anything else that goes wrong, and logs it. */
final class Guarded implements HttpHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Guarded.class);

  private final HttpHandler next;
  private final Seldom complaint = new Seldom();

  Guarded(HttpHandler next) {
    this.next = next;
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) {
    try {
      next.handleRequest(exchange);
    } catch (Exception e) {
      if (complaint.now()) {
        LOG.atError()
            .setCause(e)
            .log(
                "{} failed; further ones are not logged for 5 s",
                exchange.getRelativePath().isEmpty() ? exchange.getResolvedPath() : "a request");
      }
      exchange.setPersistent(false);
      Problem.answer(
          exchange,
          StatusCodes.INTERNAL_SERVER_ERROR,
          "internal_error",
          "the server failed; its log says why");
    }
  }
}
