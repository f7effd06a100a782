package dev.holdfast.edge.socket;

import dev.holdfast.JsonIo;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.frame.BadFrame;
import dev.holdfast.frame.BatchReader;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.Publish;
import io.undertow.io.Receiver;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.Methods;
import io.undertow.util.SameThreadExecutor;
import io.undertow.util.StatusCodes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The HTTP endpoints beside the WebSocket. Bodies are bounded and no I/O thread waits. */
final class HttpApi {
  /** Milliseconds that a publish waits for Kafka before the backend is told to try again. */
  static final long PUBLISH_TIMEOUT_MS = 30_000;

  /** Bytes of all bodies that are under way; of one whose length is not told, the most. */
  private static final long BODY_BYTES = 64L * 1024 * 1024;

  static final int RETRY_AFTER_S = 1;
  private static final byte[] OK = "{\"status\":\"ok\"}".getBytes(StandardCharsets.US_ASCII);

  private final SessionContext context;
  private final BooleanSupplier ready;
  private final BearerAuth auth;
  private final AtomicInteger publishes = new AtomicInteger();
  private final NodeBudget bodies = new NodeBudget(BODY_BYTES);

  HttpApi(SessionContext context, BooleanSupplier ready) {
    this.context = context;
    this.ready = ready;
    this.auth = new BearerAuth(context.access(), context.counters());
  }

  /** {@code GET /healthz}: the process lives. */
  void health(HttpServerExchange exchange) {
    if (isRead(exchange)) {
      Problem.json(exchange, StatusCodes.OK, "application/json", OK);
    } else {
      methodNotAllowed(exchange, "GET, HEAD");
    }
  }

  /** {@code GET /readyz}: the node takes traffic. */
  void ready(HttpServerExchange exchange) {
    if (!isRead(exchange)) {
      methodNotAllowed(exchange, "GET, HEAD");
    } else if (ready.getAsBoolean()) {
      Problem.json(exchange, StatusCodes.OK, "application/json", OK);
    } else {
      Problem.retryLater(
          exchange, RETRY_AFTER_S, "not_ready", "draining, or Kafka has not answered lately");
    }
  }

  /** {@code POST /v1/messages}: a backend publishes. */
  void publish(HttpServerExchange exchange) {
    if (!exchange.getRequestMethod().equals(Methods.POST)) {
      methodNotAllowed(exchange, "POST");
      return;
    }
    if (!auth.admitsPublish(exchange)) {
      return;
    }
    if (!PublishHeaders.admit(exchange) || !PublishHeaders.admitKey(exchange)) {
      return;
    }
    int limit = BatchReader.MAX_BYTES;
    if (exchange.getRequestContentLength() > limit) {
      LastWord.say(exchange, () -> tooLarge(exchange));
      return;
    }
    if (!admit(exchange)) {
      LastWord.say(exchange, () -> busy(exchange, "too many requests are under way"));
      return;
    }
    exchange.setMaxEntitySize(limit);
    // The entity's limit holds for a length that is told, the buffer's for one that is not.
    exchange.getRequestReceiver().setMaxBufferSize(limit);
    exchange.getRequestReceiver().receiveFullBytes(this::received, HttpApi::failed);
  }

  /** {@code GET /v1/presence/<user>}. */
  HttpHandler presence() {
    return new PresenceApi(context);
  }

  /** Anything else. */
  static void notFound(HttpServerExchange exchange) {
    Problem.answer(exchange, StatusCodes.NOT_FOUND, "not_found", "there is nothing at this path");
  }

  static void methodNotAllowed(HttpServerExchange exchange, String allowed) {
    exchange.getResponseHeaders().put(Headers.ALLOW, allowed);
    Problem.answer(
        exchange, StatusCodes.METHOD_NOT_ALLOWED, "method_not_allowed", "allowed: " + allowed);
  }

  /** Counts a publish and its bytes to the end of its exchange, if there may be one more. */
  private boolean admit(HttpServerExchange exchange) {
    if (publishes.incrementAndGet() > context.limits().publishes()) {
      publishes.decrementAndGet();
      return false;
    }
    long told = exchange.getRequestContentLength();
    long bytes = told < 0 ? BatchReader.MAX_BYTES : told;
    if (!bodies.take(bytes)) {
      publishes.decrementAndGet();
      return false;
    }
    exchange.addExchangeCompleteListener(
        (ended, next) -> {
          publishes.decrementAndGet();
          bodies.release(bytes);
          next.proceed();
        });
    return true;
  }

  private void received(HttpServerExchange exchange, byte[] body) {
    String key = PublishHeaders.key(exchange);
    try {
      List<BatchReader.Item> batch = BatchReader.read(body);
      if (batch != null) {
        BatchPublish all = new BatchPublish(context, exchange, batch, key);
        exchange.dispatch(SameThreadExecutor.INSTANCE, all);
        return;
      }
      if (body.length > context.limits().frameBytes()) {
        tooLarge(exchange);
        return;
      }
      String id = key == null ? UUID.randomUUID().toString() : key;
      Publish publish = BearerAuth.authorized(exchange, context.reader().readPublish(body));
      if (publish != null) {
        exchange.dispatch(SameThreadExecutor.INSTANCE, () -> publish(exchange, publish, id));
      }
    } catch (BadFrame e) {
      Problem.answer(exchange, e);
    }
  }

  private void publish(HttpServerExchange exchange, Publish publish, String id) {
    // Emptied by the first answer, so that the time-out keeps no finished exchange alive.
    AtomicReference<@Nullable HttpServerExchange> open = new AtomicReference<>(exchange);
    context
        .later()
        .run(
            PUBLISH_TIMEOUT_MS,
            () -> answer(open, asked -> busy(asked, "Kafka has not answered yet")));
    Deposit.offer(
        context,
        publish,
        id,
        new Channels.Published() {
          @Override
          public void stored() {
            answer(open, asked -> accepted(asked, publish, id));
          }

          @Override
          public void refused(ErrorCode code, String why) {
            answer(open, asked -> HttpApi.refused(asked, publish, code, why));
          }
        });
  }

  /** Answers once, on the exchange's own I/O thread. */
  static void answer(
      AtomicReference<@Nullable HttpServerExchange> open, Consumer<HttpServerExchange> how) {
    HttpServerExchange exchange = open.getAndSet(null);
    if (exchange == null) {
      return;
    }
    try {
      exchange.getIoThread().execute(() -> how.accept(exchange));
    } catch (RejectedExecutionException e) {
      // The node is stopping and its sockets are gone.
    }
  }

  private static void refused(
      HttpServerExchange exchange, Publish publish, ErrorCode code, String why) {
    if (code.retryable()) {
      Problem.retryLater(exchange, RETRY_AFTER_S, code.wire(), why);
    } else {
      Problem.answer(exchange, new BadFrame(code, why, null, publish.channel()));
    }
  }

  private static void accepted(HttpServerExchange exchange, Publish publish, String id) {
    String msgId = Deposit.msgId(publish, id);
    byte[] body =
        JsonIo.write(
            out -> {
              out.writeStartObject();
              out.writeStringField("msgId", msgId);
              out.writeEndObject();
            });
    Problem.json(exchange, StatusCodes.ACCEPTED, "application/json", body);
  }

  private static void busy(HttpServerExchange exchange, String why) {
    Problem.retryLater(exchange, RETRY_AFTER_S, ErrorCode.OVERLOADED.wire(), why);
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

  /** Whether the method only reads. */
  static boolean isRead(HttpServerExchange exchange) {
    return exchange.getRequestMethod().equals(Methods.GET)
        || exchange.getRequestMethod().equals(Methods.HEAD);
  }
}
