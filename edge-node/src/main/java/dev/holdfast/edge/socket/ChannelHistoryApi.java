package dev.holdfast.edge.socket;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.frame.ErrorCode;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.SameThreadExecutor;
import io.undertow.util.StatusCodes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /v1/channels/<name>/history}: events that were, from Kafka's log. No I/O thread waits;
 * a client that does not read its answer loses the connection.
 */
final class ChannelHistoryApi implements HttpHandler {
  private static final String TAIL = "/history";
  private static final int DEFAULT_LIMIT = 100;

  private final SessionContext context;
  private final BearerAuth auth;

  ChannelHistoryApi(SessionContext context) {
    this.context = context;
    this.auth = new BearerAuth(context.access(), context.counters());
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) {
    String path = exchange.getRelativePath();
    if (!path.startsWith("/") || !path.endsWith(TAIL) || path.length() <= TAIL.length() + 1) {
      HttpApi.notFound(exchange);
      return;
    }
    if (!HttpApi.isRead(exchange)) {
      HttpApi.methodNotAllowed(exchange, "GET, HEAD");
      return;
    }
    // Undertow leaves an encoded slash alone, so that it does not part the path.
    String text = path.substring(1, path.length() - TAIL.length());
    String name = text.replace("%2F", "/").replace("%2f", "/");
    ChannelName channel = ChannelName.of(name);
    Namespace namespace = channel == null ? null : context.channels().namespace(channel);
    if (channel == null || namespace == null) {
      Problem.answer(
          exchange,
          StatusCodes.NOT_FOUND,
          ErrorCode.NO_SUCH_CHANNEL.wire(),
          "no namespace of this server serves the channel");
    } else if (auth.admitsChannel(exchange, namespace, name)) {
      read(exchange, namespace, channel);
    }
  }

  private void read(HttpServerExchange exchange, Namespace namespace, ChannelName channel) {
    try {
      String after = Parameters.one(exchange, "after");
      Position from = after == null ? null : Position.parse(after);
      if (after != null && from == null) {
        throw new IllegalArgumentException("after must be a position that a server gave out");
      }
      int limit =
          (int)
              Parameters.number(
                  exchange, "limit", 1, context.channels().mostPastEvents(), DEFAULT_LIMIT);
      exchange.dispatch(
          SameThreadExecutor.INSTANCE, () -> ask(exchange, namespace, channel, from, limit));
    } catch (IllegalArgumentException e) {
      String why = String.valueOf(e.getMessage());
      Problem.answer(exchange, StatusCodes.BAD_REQUEST, ErrorCode.BAD_FRAME.wire(), why);
    }
  }

  private void ask(
      HttpServerExchange exchange,
      Namespace namespace,
      ChannelName channel,
      @Nullable Position after,
      int limit) {
    Waiting waiting = new Waiting(exchange);
    exchange.addExchangeCompleteListener(
        (ended, next) -> {
          waiting.over = true;
          next.proceed();
        });
    context.later().run(HttpApi.PUBLISH_TIMEOUT_MS, () -> waiting.unavailable("no answer yet"));
    if (!context.channels().past(namespace, channel, after, limit, waiting)) {
      waiting.later(ErrorCode.OVERLOADED, "too many requests for histories are under way");
    }
  }

  /** One exchange without its answer. */
  private final class Waiting implements Channels.Past {
    private final AtomicReference<@Nullable HttpServerExchange> open;
    private volatile boolean over;

    Waiting(HttpServerExchange exchange) {
      this.open = new AtomicReference<>(exchange);
    }

    @Override
    public void events(List<byte[]> events, String position, boolean more, @Nullable String lost) {
      byte[] body = body(events, position, more, lost);
      HttpApi.answer(
          open,
          exchange -> {
            Problem.json(exchange, StatusCodes.OK, "application/json", body);
            HistoryApi.dropUnlessRead(exchange, context.later());
          });
    }

    @Override
    public void unavailable(String why) {
      later(ErrorCode.UNAVAILABLE, why);
    }

    void later(ErrorCode code, String why) {
      HttpApi.answer(
          open, exchange -> Problem.retryLater(exchange, HttpApi.RETRY_AFTER_S, code.wire(), why));
    }

    @Override
    public boolean gone() {
      return over || open.get() == null;
    }
  }

  private static byte[] body(
      List<byte[]> events, String position, boolean more, @Nullable String lost) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
    out.writeBytes(utf8("{\"events\":["));
    for (int i = 0; i < events.size(); i++) {
      if (i > 0) {
        out.write(',');
      }
      out.writeBytes(events.get(i));
    }
    out.writeBytes(utf8("],\"position\":\"" + position + "\",\"more\":" + more));
    out.writeBytes(utf8(lost == null ? "}" : ",\"lost\":\"" + lost + "\"}"));
    return out.toByteArray();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
