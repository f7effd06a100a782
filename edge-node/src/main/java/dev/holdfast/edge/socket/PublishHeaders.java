package dev.holdfast.edge.socket;

import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.FrameReader;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import io.undertow.util.StatusCodes;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a publish says of itself in its headers: the form of its body, and its key. */
final class PublishHeaders {
  /** What a key must be, as the rest of a sentence that names it. */
  static final String KEY_RULE =
      " must be 1-" + FrameReader.MAX_CLIENT_MSG_ID + " characters of printable ASCII";

  private static final HttpString IDEMPOTENCY_KEY = new HttpString("Idempotency-Key");
  private static final String IDENTITY = "identity";
  private static final Set<String> UTF_8 = Set.of("utf-8", "utf8");

  private PublishHeaders() {}

  /**
   * Whether the body is JSON in UTF-8, as far as it is told. Otherwise the exchange is answered.
   */
  static boolean admit(HttpServerExchange exchange) {
    String type = exchange.getRequestHeaders().getFirst(Headers.CONTENT_TYPE);
    if (type != null && !isJson(type)) {
      unsupported(exchange, "the body must be application/json");
      return false;
    }
    if (type != null && !isUtf8(type)) {
      unsupported(exchange, "the body must be in UTF-8");
      return false;
    }
    HeaderValues codings = exchange.getRequestHeaders().get(Headers.CONTENT_ENCODING);
    if (codings != null && !codings.stream().allMatch(IDENTITY::equalsIgnoreCase)) {
      exchange.getResponseHeaders().put(Headers.ACCEPT_ENCODING, IDENTITY);
      unsupported(exchange, "the body must not be compressed");
      return false;
    }
    return true;
  }

  /** Whether there is one key or none, and a good one. Otherwise the exchange is answered. */
  static boolean admitKey(HttpServerExchange exchange) {
    HeaderValues keys = exchange.getRequestHeaders().get(IDEMPOTENCY_KEY);
    if (keys == null) {
      return true;
    }
    if (keys.stream().distinct().count() > 1) {
      wrong(exchange, IDEMPOTENCY_KEY + " must come once");
      return false;
    }
    if (!isKey(keys.getFirst())) {
      wrong(exchange, IDEMPOTENCY_KEY + KEY_RULE);
      return false;
    }
    return true;
  }

  /** The request's key; null when it has none. */
  static @Nullable String key(HttpServerExchange exchange) {
    return exchange.getRequestHeaders().getFirst(IDEMPOTENCY_KEY);
  }

  /** Whether it may be an idempotency key. */
  static boolean isKey(String id) {
    return !id.isEmpty()
        && id.length() <= FrameReader.MAX_CLIENT_MSG_ID
        && id.chars().allMatch(c -> c >= ' ' && c <= '~');
  }

  private static boolean isJson(String contentType) {
    int parameters = contentType.indexOf(';');
    String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
    String bare = type.strip().toLowerCase(Locale.ROOT);
    return bare.equals("application/json") || bare.endsWith("+json");
  }

  private static boolean isUtf8(String contentType) {
    String[] parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip();
      if (parameter.startsWith("charset=")
          && !UTF_8.contains(parameter.substring("charset=".length()).replace("\"", ""))) {
        return false;
      }
    }
    return true;
  }

  private static void unsupported(HttpServerExchange exchange, String why) {
    Problem.answer(exchange, StatusCodes.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", why);
  }

  private static void wrong(HttpServerExchange exchange, String why) {
    Problem.answer(exchange, StatusCodes.BAD_REQUEST, ErrorCode.BAD_FRAME.wire(), why);
  }
}
