package dev.holdfast.edge.socket;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.admission.Refusal;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.frame.ErrorCode;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.SameThreadExecutor;
import io.undertow.util.StatusCodes;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /v1/channels/<name>/history}: events that were, from Kafka's log. No I/O thread waits.
 * A request has a place, and room for what its answer may be, until that has gone out; a client
 * that does not read its answer loses the connection. So neither the dead nor the slow keep room
 * for long, and however many ask, what waits for them stays within a share of the heap.
 */
final class ChannelHistoryApi implements HttpHandler {
  private static final String HEAD = "/v1/channels/";
  private static final String TAIL = "/history";
  private static final int DEFAULT_LIMIT = 100;

  /** Of the heap, what answers may take: one part in so many. */
  private static final long HEAP_SHARE = 8;

  /** Bytes a second that a client must read, beside {@link HistoryApi#READ_MS} for any answer. */
  private static final long READ_BYTES_S = 64 * 1024;

  private final SessionContext context;
  private final Admission admission;
  private final BearerAuth auth;
  private final AnswerRoom room;

  ChannelHistoryApi(SessionContext context, Admission admission) {
    this(context, admission, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  /**
   * @param roomBytes bytes that answers may take together; there is always room for one
   */
  ChannelHistoryApi(SessionContext context, Admission admission, long roomBytes) {
    this.context = context;
    this.admission = admission;
    this.auth = new BearerAuth(context.access(), context.counters());
    Channels.PastLimits limits = context.channels().pastLimits();
    this.room = new AnswerRoom(limits.answers(), Math.max(limits.most(limits.events()), roomBytes));
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) {
    String name = name(exchange);
    if (name == null) {
      HttpApi.notFound(exchange);
      return;
    }
    if (!HttpApi.isRead(exchange)) {
      HttpApi.methodNotAllowed(exchange, "GET, HEAD");
      return;
    }
    ChannelName channel = ChannelName.of(name);
    Namespace namespace = channel == null ? null : context.channels().namespace(channel);
    if (channel == null || namespace == null) {
      Problem.answer(
          exchange,
          StatusCodes.NOT_FOUND,
          ErrorCode.NO_SUCH_CHANNEL.wire(),
          "no namespace of this server serves the channel");
    } else if (auth.admitsChannel(exchange, namespace, name) && keepsPace(exchange)) {
      read(exchange, namespace, channel);
    }
  }

  /**
   * The channel's name, decoded once, from what came: in a decoded path, a slash of the name and
   * one between two names are not told apart. Null when the path is another one.
   */
  private static @Nullable String name(HttpServerExchange exchange) {
    String uri = exchange.getRequestURI();
    int from = uri.indexOf(HEAD);
    String host = exchange.isHostIncludedInRequestURI() ? uri.substring(0, Math.max(from, 0)) : "";
    int to = uri.length() - TAIL.length();
    boolean fits = from == host.length() && uri.endsWith(TAIL) && to > from + HEAD.length();
    return fits ? Percent.decode(uri.substring(from + HEAD.length(), to)) : null;
  }

  private boolean keepsPace(HttpServerExchange exchange) {
    Credential who = BearerAuth.of(exchange);
    InetAddress peer = exchange.getSourceAddress().getAddress();
    InetAddress client = admission.origin(peer, Doorkeeper.forwarded(exchange));
    long waitMs = admission.reading(who == null ? null : who.user(), client);
    if (waitMs > 0) {
      context.counters().turnedAway(Refusal.HISTORY_RATE).increment();
      Problem.retryLater(
          exchange,
          Refusal.HISTORY_RATE.status(),
          (int) (waitMs / 1_000) + 1,
          ErrorCode.RATE_LIMITED.wire(),
          "histories of channels are read too fast");
    }
    return waitMs == 0;
  }

  private void read(HttpServerExchange exchange, Namespace namespace, ChannelName channel) {
    try {
      String after = Parameters.one(exchange, "after");
      Position from = after == null ? null : Position.parse(after);
      if (after != null && from == null) {
        throw new IllegalArgumentException("after must be a position that a server gave out");
      }
      int most = context.channels().pastLimits().events();
      int limit = (int) Parameters.number(exchange, "limit", 1, most, DEFAULT_LIMIT);
      AnswerRoom.Place place = room.take(context.channels().pastLimits().most(limit));
      if (place == null) {
        busy(exchange);
        return;
      }
      Waiting waiting = new Waiting(exchange, place);
      exchange.addExchangeCompleteListener(
          (ended, next) -> {
            waiting.end();
            next.proceed();
          });
      exchange.dispatch(
          SameThreadExecutor.INSTANCE, () -> ask(waiting, namespace, channel, from, limit));
    } catch (IllegalArgumentException e) {
      String why = String.valueOf(e.getMessage());
      Problem.answer(exchange, StatusCodes.BAD_REQUEST, ErrorCode.BAD_FRAME.wire(), why);
    }
  }

  private void ask(
      Waiting waiting,
      Namespace namespace,
      ChannelName channel,
      @Nullable Position after,
      int limit) {
    context
        .later()
        .run(HttpApi.PUBLISH_TIMEOUT_MS, () -> waiting.answer(unavailable("no answer yet")));
    if (!context.channels().past(namespace, channel, after, limit, waiting)) {
      waiting.told();
      waiting.answer(ChannelHistoryApi::busy);
    }
  }

  private static void busy(HttpServerExchange exchange) {
    Problem.retryLater(
        exchange,
        HttpApi.RETRY_AFTER_S,
        ErrorCode.OVERLOADED.wire(),
        "too many requests for histories are under way");
  }

  private static Consumer<HttpServerExchange> unavailable(String why) {
    return exchange ->
        Problem.retryLater(exchange, HttpApi.RETRY_AFTER_S, ErrorCode.UNAVAILABLE.wire(), why);
  }

  /**
   * One exchange without its answer. Its place is kept until both are over: the exchange, and the
   * reading for it, which goes on for a moment after a client is gone.
   */
  private final class Waiting implements Channels.Past {
    private final AtomicReference<@Nullable HttpServerExchange> open;
    private final AnswerRoom.Place place;
    private volatile boolean over;
    private volatile boolean read;

    Waiting(HttpServerExchange exchange, AnswerRoom.Place place) {
      this.open = new AtomicReference<>(exchange);
      this.place = place;
    }

    @Override
    public void events(List<byte[]> events, String position, boolean more, @Nullable String lost) {
      EventPage page = new EventPage(events, position, more, lost);
      place.shrink(page.size());
      told();
      answer(exchange -> send(exchange, page));
    }

    @Override
    public void unavailable(String why) {
      told();
      answer(ChannelHistoryApi.unavailable(why));
    }

    @Override
    public boolean gone() {
      boolean gone = over || open.get() == null;
      if (gone) {
        told();
      }
      return gone;
    }

    void answer(Consumer<HttpServerExchange> how) {
      HttpApi.answer(open, how);
    }

    /** Nobody reads for it any more. */
    void told() {
      read = true;
      if (over) {
        place.close();
      }
    }

    /** The exchange is over, answered or not. */
    void end() {
      over = true;
      open.set(null);
      if (read) {
        place.close();
      }
    }
  }

  private void send(HttpServerExchange exchange, EventPage page) {
    if (!exchange.isResponseStarted()) {
      exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
      exchange.setResponseContentLength(page.size());
      exchange.getResponseSender().send(page.write());
    }
    long readMs = HistoryApi.READ_MS + page.size() * 1_000L / READ_BYTES_S;
    HistoryApi.dropUnlessRead(exchange, context.later(), readMs);
  }
}
