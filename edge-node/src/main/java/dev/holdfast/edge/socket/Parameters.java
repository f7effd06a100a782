package dev.holdfast.edge.socket;

import io.undertow.server.HttpServerExchange;
import java.util.Deque;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A request's query parameters; what is wrong with one is a sentence for the client to read. */
final class Parameters {
  /** Up to 18 digits always fit into a long. */
  private static final Pattern INTEGER = Pattern.compile("[0-9]{1,18}");

  private Parameters() {}

  /**
   * The parameter's value; null when it is not there.
   *
   * @throws IllegalArgumentException when it is there more than once
   */
  static @Nullable String one(HttpServerExchange exchange, String parameter) {
    Deque<String> values = exchange.getQueryParameters().get(parameter);
    if (values == null) {
      return null;
    }
    if (values.size() > 1) {
      throw new IllegalArgumentException(parameter + " must come once");
    }
    return values.getFirst();
  }

  /**
   * The parameter's value as an integer.
   *
   * @param most {@link Long#MAX_VALUE}: no upper bound is told
   * @throws IllegalArgumentException when it is none, or out of its range
   */
  static long number(
      HttpServerExchange exchange, String parameter, long least, long most, long otherwise) {
    String text = one(exchange, parameter);
    if (text == null) {
      return otherwise;
    }
    long number = INTEGER.matcher(text).matches() ? Long.parseLong(text) : -1;
    if (number < least || number > most) {
      String to = most == Long.MAX_VALUE ? "" : " to " + most;
      throw new IllegalArgumentException(parameter + " must be an integer from " + least + to);
    }
    return number;
  }
}
