package dev.holdfast.edge.socket;

import dev.holdfast.id.Names;
import dev.holdfast.record.Event;
import io.undertow.server.HttpServerExchange;
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

  /**
   * Reads the query of the request.
   *
   * @throws IllegalArgumentException that names the parameter, for the client to read
   */
  static HistoryRequest of(HttpServerExchange exchange) {
    return new HistoryRequest(
        name(exchange, "user"),
        Parameters.number(exchange, "after", 0, Long.MAX_VALUE, 0),
        (int) Parameters.number(exchange, "limit", 1, Event.Query.MAX_LIMIT, DEFAULT_LIMIT),
        name(exchange, "epoch"));
  }

  private static @Nullable String name(HttpServerExchange exchange, String parameter) {
    String name = Parameters.one(exchange, parameter);
    if (name != null && !Names.valid(name)) {
      throw new IllegalArgumentException(
          parameter + " must be 1-128 characters of [A-Za-z0-9._~@:-]");
    }
    return name;
  }
}
