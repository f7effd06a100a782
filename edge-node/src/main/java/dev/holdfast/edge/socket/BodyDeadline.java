package dev.holdfast.edge.socket;

import dev.holdfast.edge.session.Later;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import java.util.concurrent.RejectedExecutionException;
import org.xnio.IoUtils;

/**
 * Drops the connection of a request whose body does not end in time. Undertow's own options bound
 * the head and the time between requests; its time-out for reading would also end quiet WebSockets.
 * Most bodies are there with their head; only for the others a timer is set.
 */
final class BodyDeadline implements HttpHandler {
  private final HttpHandler next;
  private final Later later;
  private final long timeoutMs;

  BodyDeadline(HttpHandler next, Later later, long timeoutMs) {
    this.next = next;
    this.later = later;
    this.timeoutMs = timeoutMs;
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) throws Exception {
    next.handleRequest(exchange);
    if (!exchange.isRequestComplete()) {
      later.run(timeoutMs, () -> onIoThread(exchange));
    }
  }

  private static void onIoThread(HttpServerExchange exchange) {
    try {
      exchange.getIoThread().execute(() -> expire(exchange));
    } catch (RejectedExecutionException e) {
      // The node is stopping and its sockets are gone.
    }
  }

  private static void expire(HttpServerExchange exchange) {
    if (!exchange.isRequestComplete()) {
      IoUtils.safeClose(exchange.getConnection());
      exchange.endExchange();
    }
  }
}
