package dev.holdfast.edge.socket;

import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.StatusCodes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** {@code GET /openapi.json}: what the HTTP endpoints take and answer, in OpenAPI 3.1. */
final class OpenApi implements HttpHandler {
  /** The document's name beside this class. */
  static final String RESOURCE = "/openapi.json";

  private final byte[] document;

  OpenApi() {
    try (InputStream in = OpenApi.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + RESOURCE);
      }
      document = in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) {
    if (HttpApi.isRead(exchange)) {
      Problem.json(exchange, StatusCodes.OK, "application/json", document);
    } else {
      HttpApi.methodNotAllowed(exchange, "GET, HEAD");
    }
  }
}
