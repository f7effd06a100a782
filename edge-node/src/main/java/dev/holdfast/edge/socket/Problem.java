package dev.holdfast.edge.socket;

import dev.holdfast.JsonIo;
import dev.holdfast.frame.BadFrame;
import dev.holdfast.frame.ErrorCode;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.AttachmentKey;
import io.undertow.util.Headers;
import io.undertow.util.StatusCodes;
import java.nio.ByteBuffer;

/** Answers an exchange; errors in the form of RFC 9457. */
final class Problem {
  /** The code that an exchange was answered with, for counting. */
  static final AttachmentKey<String> CODE = AttachmentKey.create(String.class);

  private Problem() {}

  /**
   * Answers with {@code application/problem+json}.
   *
   * @param code the same codes as in {@code error} frames, where one fits
   * @param detail a sentence for people; of what the client sent it repeats only short excerpts
   *     that print
   */
  static void answer(HttpServerExchange exchange, int status, String code, String detail) {
    answer(exchange, status, code, detail, out -> {});
  }

  /**
   * The same with further members.
   *
   * @param more writes them
   */
  static void answer(
      HttpServerExchange exchange, int status, String code, String detail, JsonIo.Writer more) {
    exchange.putAttachment(CODE, code);
    byte[] body =
        JsonIo.write(
            out -> {
              out.writeStartObject();
              out.writeStringField("type", "about:blank");
              out.writeStringField("title", StatusCodes.getReason(status));
              out.writeNumberField("status", status);
              out.writeStringField("code", code);
              out.writeStringField("detail", detail);
              more.write(out);
              out.writeEndObject();
            });
    json(exchange, status, "application/problem+json", body);
  }

  /** Answers that the body is wrong; what was meant for a channel names it. */
  static void answer(HttpServerExchange exchange, BadFrame wrong) {
    String channel = wrong.channel();
    answer(
        exchange,
        status(wrong.code()),
        wrong.code().wire(),
        wrong.text(),
        out -> {
          if (channel != null) {
            out.writeStringField("channel", channel);
          }
        });
  }

  /** The status for a body, or one message of a batch, that is wrong. */
  static int status(ErrorCode code) {
    return switch (code) {
      case PAYLOAD_TOO_LARGE -> StatusCodes.REQUEST_ENTITY_TOO_LARGE;
      case FORBIDDEN -> StatusCodes.FORBIDDEN;
      case NO_SUCH_CHANNEL -> StatusCodes.NOT_FOUND;
      default -> StatusCodes.BAD_REQUEST;
    };
  }

  /** 503 with {@code Retry-After}, in seconds. */
  static void retryLater(HttpServerExchange exchange, int seconds, String code, String detail) {
    retryLater(exchange, StatusCodes.SERVICE_UNAVAILABLE, seconds, code, detail);
  }

  /** The same with another status. */
  static void retryLater(
      HttpServerExchange exchange, int status, int seconds, String code, String detail) {
    exchange.getResponseHeaders().put(Headers.RETRY_AFTER, seconds);
    answer(exchange, status, code, detail);
  }

  /** Answers with {@code body}. */
  static void json(HttpServerExchange exchange, int status, String contentType, byte[] body) {
    if (exchange.isResponseStarted()) {
      return;
    }
    exchange.setStatusCode(status);
    exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, contentType);
    exchange.getResponseSender().send(ByteBuffer.wrap(body));
  }
}
