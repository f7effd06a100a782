package dev.holdfast.edge.socket;

import dev.holdfast.edge.auth.Origins;
import dev.holdfast.frame.ErrorCode;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import io.undertow.util.Methods;
import io.undertow.util.StatusCodes;

/**
 * Lets pages of other origins read answers: of exactly those that may open a socket here. The
 * origin itself is named, never {@code *}, and cookies are never allowed: what a request may do is
 * decided by its token alone.
 *
 * <p>What only reads is answered to others as well, without the header, so that a browser keeps it
 * from their pages. What writes is refused them: a browser would send it, and only keep the answer.
 */
final class Cors implements HttpHandler {
  static final HttpString ALLOW_ORIGIN = new HttpString("Access-Control-Allow-Origin");
  private static final HttpString ALLOW_METHODS = new HttpString("Access-Control-Allow-Methods");
  private static final HttpString ALLOW_HEADERS = new HttpString("Access-Control-Allow-Headers");
  private static final HttpString EXPOSE = new HttpString("Access-Control-Expose-Headers");
  private static final HttpString MAX_AGE = new HttpString("Access-Control-Max-Age");
  private static final HttpString ASKED_METHOD = new HttpString("Access-Control-Request-Method");

  /** Browsers ask again after so many seconds; a changed list of origins is to be noticed. */
  private static final String MAX_AGE_S = "600";

  private final Origins origins;
  private final String methods;
  private final HttpHandler next;

  /**
   * @param methods what the path takes, like {@code GET, HEAD}
   */
  Cors(Origins origins, String methods, HttpHandler next) {
    this.origins = origins;
    this.methods = methods;
    this.next = next;
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) throws Exception {
    HeaderMap asked = exchange.getRequestHeaders();
    HeaderMap answer = exchange.getResponseHeaders();
    answer.put(Headers.VARY, "Origin");
    String origin = asked.getFirst(Headers.ORIGIN);
    if (origin == null) {
      next.handleRequest(exchange);
      return;
    }
    boolean allowed = origins.allow(origin, asked.getFirst(Headers.HOST));
    if (allowed) {
      answer.put(ALLOW_ORIGIN, origin);
      answer.put(EXPOSE, "Retry-After, WWW-Authenticate");
    }
    boolean preflight =
        exchange.getRequestMethod().equals(Methods.OPTIONS) && asked.contains(ASKED_METHOD);
    if (!allowed && (preflight || !HttpApi.isRead(exchange))) {
      Problem.answer(
          exchange,
          StatusCodes.FORBIDDEN,
          ErrorCode.FORBIDDEN.wire(),
          "pages of this origin may not do this (--allow-origin)");
    } else if (preflight) {
      answer.put(ALLOW_METHODS, methods);
      answer.put(ALLOW_HEADERS, "Authorization, Content-Type, Idempotency-Key");
      answer.put(MAX_AGE, MAX_AGE_S);
      exchange.setStatusCode(StatusCodes.NO_CONTENT).endExchange();
    } else {
      next.handleRequest(exchange);
    }
  }
}
