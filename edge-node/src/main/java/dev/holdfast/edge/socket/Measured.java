package dev.holdfast.edge.socket;

import dev.holdfast.edge.session.EdgeCounters;
import io.undertow.server.ExchangeCompletionListener;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.StatusCodes;

/**
 * Counts the answers of one path: handshakes by their outcome, the others by status. The paths are
 * the server's own, never what a client asked for.
 */
final class Measured implements HttpHandler, ExchangeCompletionListener {
  /** Where WebSockets are asked for. */
  static final String SOCKET = "/v1/ws";

  private final String path;
  private final HttpHandler next;
  private final EdgeCounters counters;

  Measured(String path, HttpHandler next, EdgeCounters counters) {
    this.path = path;
    this.next = next;
    this.counters = counters;
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) throws Exception {
    exchange.addExchangeCompleteListener(this);
    next.handleRequest(exchange);
  }

  @Override
  public void exchangeEvent(HttpServerExchange exchange, NextListener following) {
    try {
      count(exchange);
    } finally {
      following.proceed();
    }
  }

  private void count(HttpServerExchange exchange) {
    int status = exchange.getStatusCode();
    if (!path.equals(SOCKET)) {
      counters.httpAnswers.count(path + ' ' + status);
    } else if (status == StatusCodes.SWITCHING_PROTOCOLS) {
      counters.handshakes.count("accepted");
    } else {
      String code = exchange.getAttachment(Problem.CODE);
      counters.handshakes.count(code == null ? "status_" + status : code);
    }
  }
}
