package dev.holdfast.edge.socket;

import dev.holdfast.frame.ErrorCode;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.StatusCodes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/**
 * Decodes a request's path and parameters, which the listener leaves as they came: it would read
 * what is no UTF-8 as something else.
 */
final class Decoded implements HttpHandler {
  private final HttpHandler next;
  private final HttpHandler wrong;

  /**
   * @param wrong answers what cannot be read
   */
  Decoded(HttpHandler next, HttpHandler wrong) {
    this.next = next;
    this.wrong = wrong;
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) throws Exception {
    (decode(exchange) ? next : wrong).handleRequest(exchange);
  }

  private static boolean decode(HttpServerExchange exchange) {
    try {
      exchange.setRequestPath(Percent.decodePath(exchange.getRequestPath()));
      exchange.setRelativePath(Percent.decodePath(exchange.getRelativePath()));
      Map<String, Deque<String>> read = new TreeMap<>();
      exchange
          .getQueryParameters()
          .forEach(
              (name, values) -> {
                Deque<String> all =
                    read.computeIfAbsent(
                        Percent.decodeParameter(name), key -> new ArrayDeque<>(values.size()));
                values.forEach(value -> all.add(Percent.decodeParameter(value)));
              });
      exchange.getQueryParameters().clear();
      exchange.getQueryParameters().putAll(read);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Answers that the request cannot be read. */
  static void refuse(HttpServerExchange exchange) {
    Problem.answer(
        exchange,
        StatusCodes.BAD_REQUEST,
        ErrorCode.BAD_FRAME.wire(),
        "path and parameters must be percent-encoded UTF-8");
  }
}
