package dev.holdfast.edge.socket;

import dev.holdfast.JsonIo;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.frame.BadFrame;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.FrameReader;
import dev.holdfast.frame.Publish;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;
import io.undertow.io.Receiver;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.Methods;
import io.undertow.util.SameThreadExecutor;
import io.undertow.util.StatusCodes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
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
  private static final long PUBLISH_TIMEOUT_MS = 30_000;

  private static final int RETRY_AFTER_S = 1;
  private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
  private static final byte[] OK = "{\"status\":\"ok\"}".getBytes(StandardCharsets.US_ASCII);

  private final SessionContext context;
  private final BooleanSupplier ready;
  private final BearerAuth auth;
  private final AtomicInteger publishes = new AtomicInteger();

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
    if (!isJson(exchange.getRequestHeaders().getFirst(Headers.CONTENT_TYPE))) {
      Problem.answer(
          exchange,
          StatusCodes.UNSUPPORTED_MEDIA_TYPE,
          "unsupported_media_type",
          "the body must be application/json");
      return;
    }
    int limit = context.limits().frameBytes();
    if (exchange.getRequestContentLength() > limit) {
      tooLarge(exchange);
      return;
    }
    if (!admit(exchange)) {
      exchange.setPersistent(false);
      busy(exchange, "too many requests are under way");
      return;
    }
    exchange.setMaxEntitySize(limit);
    // The entity's limit holds for a length that is told, the buffer's for one that is not.
    exchange.getRequestReceiver().setMaxBufferSize(limit);
    exchange.getRequestReceiver().receiveFullBytes(this::received, HttpApi::failed);
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

  /** Counts a publish from here to the end of its exchange, if there may be one more. */
  private boolean admit(HttpServerExchange exchange) {
    if (publishes.incrementAndGet() > context.limits().publishes()) {
      publishes.decrementAndGet();
      return false;
    }
    exchange.addExchangeCompleteListener(
        (ended, next) -> {
          publishes.decrementAndGet();
          next.proceed();
        });
    return true;
  }

  private void received(HttpServerExchange exchange, byte[] body) {
    String key = exchange.getRequestHeaders().getFirst(IDEMPOTENCY_KEY);
    String id = key == null ? UUID.randomUUID().toString() : key;
    if (!isKey(id)) {
      Problem.answer(
          exchange,
          StatusCodes.BAD_REQUEST,
          ErrorCode.BAD_FRAME.wire(),
          IDEMPOTENCY_KEY + " must be 1-" + FrameReader.MAX_CLIENT_MSG_ID + " of printable ASCII");
      return;
    }
    try {
      Publish publish = BearerAuth.authorized(exchange, context.reader().readPublish(body, id));
      if (publish != null) {
        exchange.dispatch(SameThreadExecutor.INSTANCE, () -> publish(exchange, publish, id));
      }
    } catch (BadFrame e) {
      boolean large = e.code() == ErrorCode.PAYLOAD_TOO_LARGE;
      int status = large ? StatusCodes.REQUEST_ENTITY_TOO_LARGE : StatusCodes.BAD_REQUEST;
      Problem.answer(exchange, status, e.code().wire(), e.text());
    }
  }

  private void publish(HttpServerExchange exchange, Publish publish, String id) {
    // Emptied by the first answer, so that the time-out keeps no finished exchange alive.
    AtomicReference<@Nullable HttpServerExchange> open = new AtomicReference<>(exchange);
    Event event = new Event.Message(publish.from(), "", id, publish.payload());
    boolean taken =
        context
            .sink()
            .offer(
                publish.users(),
                event,
                stored -> answer(open, asked -> done(asked, publish, id, stored)));
    if (taken) {
      context
          .later()
          .run(
              PUBLISH_TIMEOUT_MS,
              () -> answer(open, asked -> busy(asked, "Kafka has not answered yet")));
    } else {
      busy(exchange, "the queue towards Kafka is full");
    }
  }

  /** Answers once, on the exchange's own I/O thread. */
  private static void answer(
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

  private static void done(
      HttpServerExchange exchange, Publish publish, String id, boolean stored) {
    if (!stored) {
      Problem.retryLater(
          exchange, RETRY_AFTER_S, ErrorCode.NOT_STORED.wire(), "Kafka refused the record");
      return;
    }
    String msgId = MessageId.text(MessageId.hash(publish.from(), "", id));
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
      tooLarge(exchange);
    } else {
      exchange.endExchange();
    }
  }

  private static void tooLarge(HttpServerExchange exchange) {
    exchange.setPersistent(false);
    Problem.answer(
        exchange,
        StatusCodes.REQUEST_ENTITY_TOO_LARGE,
        ErrorCode.PAYLOAD_TOO_LARGE.wire(),
        "the body is too large");
  }

  private static boolean isKey(String id) {
    return !id.isEmpty()
        && id.length() <= FrameReader.MAX_CLIENT_MSG_ID
        && id.chars().allMatch(c -> c >= ' ' && c <= '~');
  }

  private static boolean isRead(HttpServerExchange exchange) {
    return exchange.getRequestMethod().equals(Methods.GET)
        || exchange.getRequestMethod().equals(Methods.HEAD);
  }

  private static boolean isJson(@Nullable String contentType) {
    if (contentType == null) {
      return true;
    }
    int parameters = contentType.indexOf(';');
    String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
    String bare = type.trim().toLowerCase(Locale.ROOT);
    return bare.equals("application/json") || bare.endsWith("+json");
  }
}
