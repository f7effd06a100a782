package dev.holdfast.edge.socket;

import dev.holdfast.edge.page.Pages;
import dev.holdfast.frame.ErrorCode;
import io.undertow.io.Receiver;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HttpString;
import io.undertow.util.StatusCodes;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What is at none of the edge's own paths: asked of {@link Pages}, 404 where they have nothing. */
final class PageHandler implements HttpHandler {
  private final Pages pages;

  PageHandler(Pages pages) {
    this.pages = pages;
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) {
    if (HttpApi.isRead(exchange)) {
      ask(exchange, new byte[0]);
      return;
    }
    int limit = Pages.MOST_BODY_BYTES;
    if (exchange.getRequestContentLength() > limit) {
      LastWord.say(exchange, () -> tooLarge(exchange));
      return;
    }
    exchange.setMaxEntitySize(limit);
    exchange.getRequestReceiver().setMaxBufferSize(limit);
    exchange.getRequestReceiver().receiveFullBytes(this::ask, PageHandler::failed);
  }

  private void ask(HttpServerExchange exchange, byte[] body) {
    HttpHandler answer = new Guarded(asked -> answer(asked, body));
    exchange.dispatch(answer);
  }

  private void answer(HttpServerExchange exchange, byte[] body) {
    Pages.@Nullable Answer answer =
        pages.answer(
            new Pages.Request(
                exchange.getRequestMethod().toString(),
                exchange.getRequestPath(),
                exchange.getRequestHeaders()::getFirst,
                exchange.getSourceAddress().getAddress(),
                body));
    if (answer == null) {
      HttpApi.notFound(exchange);
      return;
    }
    exchange.setStatusCode(answer.status());
    answer
        .headers()
        .forEach((name, value) -> exchange.getResponseHeaders().put(new HttpString(name), value));
    exchange.getResponseSender().send(ByteBuffer.wrap(answer.body()));
  }

  private static void failed(HttpServerExchange exchange, IOException failure) {
    if (failure instanceof Receiver.RequestToLargeException) {
      exchange.setPersistent(false); // the rest cannot be read any more
      tooLarge(exchange);
    } else {
      exchange.endExchange();
    }
  }

  private static void tooLarge(HttpServerExchange exchange) {
    Problem.answer(
        exchange,
        StatusCodes.REQUEST_ENTITY_TOO_LARGE,
        ErrorCode.PAYLOAD_TOO_LARGE.wire(),
        "the body is too large");
  }
}
