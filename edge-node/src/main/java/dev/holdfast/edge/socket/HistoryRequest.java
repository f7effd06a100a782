package dev.holdfast.edge.socket;

import dev.holdfast.id.Names;
import dev.holdfast.record.Event;
import io.undertow.server.HttpServerExchange;
import java.util.Deque;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code GET /v1/history} was asked for. Parameters that it does not know are ignored, as
 * unknown fields of frames are.
 *
 * @param user whose history; null: not said
 * @param after the answer begins behind this seq
 * @param limit most messages
 * @param epoch the mailbox that is meant; null: whichever there is
 */
record HistoryRequest(@Nullable String user, long after, int limit, @Nullable String epoch) {
  static final int DEFAULT_LIMIT = 100;

  /** Up to 18 digits always fit into a long. */
  private static final Pattern INTEGER = Pattern.compile("[0-9]{1,18}");

  /**
   * Reads the query of the request.
   *
   * @throws IllegalArgumentException that names the parameter, for the client to read
   */
  static HistoryRequest of(HttpServerExchange exchange) {
    String limit = one(exchange, "limit");
    int most = Event.Query.MAX_LIMIT;
    long messages = number(limit, "limit must be an integer from 1 to " + most, DEFAULT_LIMIT);
    if (messages < 1 || messages > most) {
      throw new IllegalArgumentException("limit must be an integer from 1 to " + most);
    }
    return new HistoryRequest(
        name(exchange, "user"),
        number(one(exchange, "after"), "after must be an integer from 0", 0),
        (int) messages,
        name(exchange, "epoch"));
  }

  private static @Nullable String name(HttpServerExchange exchange, String parameter) {
    String name = one(exchange, parameter);
    if (name != null && !Names.valid(name)) {
      throw new IllegalArgumentException(
          parameter + " must be 1-128 characters of [A-Za-z0-9._~@:-]");
    }
    return name;
  }

  private static long number(@Nullable String text, String rule, long otherwise) {
    if (text == null) {
      return otherwise;
    }
    if (!INTEGER.matcher(text).matches()) {
      throw new IllegalArgumentException(rule);
    }
    return Long.parseLong(text);
  }

  private static @Nullable String one(HttpServerExchange exchange, String parameter) {
    Deque<String> values = exchange.getQueryParameters().get(parameter);
    if (values == null) {
      return null;
    }
    if (values.size() > 1) {
      throw new IllegalArgumentException(parameter + " must come once");
    }
    return values.getFirst();
  }
}
