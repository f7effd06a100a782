package dev.holdfast.edge.socket;

import dev.holdfast.metrics.Scrape;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.StatusCodes;
import java.util.function.Supplier;

/** {@code GET /metrics}, for any port: made on a worker, since a page costs milliseconds. */
final class MetricsPage implements HttpHandler {
  private final Supplier<byte[]> page;

  /**
   * @param page in Prometheus' text format; asked for at each request
   */
  MetricsPage(Supplier<byte[]> page) {
    this.page = page;
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) {
    if (!HttpApi.isRead(exchange)) {
      HttpApi.methodNotAllowed(exchange, "GET, HEAD");
    } else {
      exchange.dispatch(
          () -> Problem.json(exchange, StatusCodes.OK, Scrape.CONTENT_TYPE, page.get()));
    }
  }
}
