package dev.holdfast.edge.socket;

import dev.holdfast.channel.Namespace;
import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.edge.auth.TokenVerifier;
import dev.holdfast.edge.auth.Verdict;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.Publish;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.AttachmentKey;
import io.undertow.util.Headers;
import io.undertow.util.StatusCodes;
import io.undertow.websockets.spi.WebSocketHttpExchange;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The header {@code Authorization: Bearer} of a request, and the answer where it does not do. What
 * it was found to say goes along with the exchange.
 */
final class BearerAuth {
  private static final AttachmentKey<Credential> CREDENTIAL =
      AttachmentKey.create(Credential.class);

  private static final String SCHEME = "Bearer ";

  /** Why a message to somebody may not be sent. */
  static final String NOT_TO_THESE = "the token does not allow to send there";

  private final Access access;
  private final EdgeCounters counters;

  BearerAuth(Access access, EdgeCounters counters) {
    this.access = access;
    this.counters = counters;
  }

  /** What the header of the upgrade said; null without one. */
  static @Nullable Credential of(WebSocketHttpExchange exchange) {
    return exchange.getAttachment(CREDENTIAL);
  }

  /** What the header of this request said; null without one, and with authentication off. */
  static @Nullable Credential of(HttpServerExchange exchange) {
    return exchange.getAttachment(CREDENTIAL);
  }

  /**
   * Whether a page of this origin may connect, and the token, where there is one, is good. Without
   * a token the hello must bring it. Otherwise the exchange is answered.
   */
  boolean admitsUpgrade(HttpServerExchange exchange) {
    String origin = exchange.getRequestHeaders().getFirst(Headers.ORIGIN);
    String host = exchange.getRequestHeaders().getFirst(Headers.HOST);
    if (!access.origins().allow(origin, host)) {
      counters.upgradesForbidden.increment();
      Problem.answer(
          exchange,
          StatusCodes.FORBIDDEN,
          ErrorCode.FORBIDDEN.wire(),
          "pages of this origin may not connect");
      return false;
    }
    return !access.on()
        || authorization(exchange) == null
        || verified(exchange, counters.upgradesUnauthorized) != null;
  }

  /** Whether the request may publish. Otherwise the exchange is answered. */
  boolean admitsPublish(HttpServerExchange exchange) {
    if (!access.on()) {
      return true;
    }
    Credential who = verified(exchange, counters.publishesUnauthorized);
    if (who != null && !who.grants().publish()) {
      counters.publishesUnauthorized.increment();
      forbidden(exchange, "the token's claim holdfast has no \"publish\": true");
    }
    return who != null && who.grants().publish();
  }

  /** Whether the request may see {@code user}'s presence. Otherwise the exchange is answered. */
  boolean admitsPresence(HttpServerExchange exchange, String user) {
    if (!access.on()) {
      return true;
    }
    Credential who = verified(exchange, counters.readsUnauthorized);
    if (who == null) {
      return false;
    }
    if (who.grants().mayWatch(user)) {
      return true;
    }
    counters.readsUnauthorized.increment();
    forbidden(exchange, "the token does not allow to watch " + user);
    return false;
  }

  /**
   * Whose history is to be read: the token's user's, or that of the user who was asked for, where
   * the token allows it. Otherwise the exchange is answered and this is null.
   *
   * @param asked the user who was asked for; null: none was
   */
  @Nullable String admitsHistory(HttpServerExchange exchange, @Nullable String asked) {
    if (!access.on()) {
      if (asked == null) {
        Problem.answer(
            exchange,
            StatusCodes.BAD_REQUEST,
            ErrorCode.BAD_FRAME.wire(),
            "user is missing: without authentication nothing else says whose history it is");
      }
      return asked;
    }
    Credential who = verified(exchange, counters.queriesUnauthorized);
    if (who == null || asked == null) {
      return who == null ? null : who.user();
    }
    if (!asked.equals(who.user()) && !who.grants().anyHistory()) {
      counters.queriesUnauthorized.increment();
      forbidden(exchange, "the token's claim holdfast has no \"history\": \"any\"");
      return null;
    }
    return asked;
  }

  /** Whether the request may read a channel. Otherwise the exchange is answered. */
  boolean admitsChannel(HttpServerExchange exchange, Namespace namespace, String channel) {
    if (!access.on()) {
      return true;
    }
    Credential who = verified(exchange, counters.queriesUnauthorized);
    if (who != null && !who.grants().maySubscribe(namespace, channel)) {
      counters.queriesUnauthorized.increment();
      forbidden(exchange, "the token does not allow to read this channel");
      return false;
    }
    return who != null;
  }

  /**
   * The message as one of the token's user, to users that the token allows. Otherwise the exchange
   * is answered and this is null.
   */
  static @Nullable Publish authorized(HttpServerExchange exchange, Publish publish) {
    Publish allowed = allowed(of(exchange), publish);
    if (allowed == null) {
      forbidden(exchange, NOT_TO_THESE);
    }
    return allowed;
  }

  /**
   * The same of one message of a batch; nothing is answered.
   *
   * @param who null with authentication off
   * @return null when the token does not allow to send to one of the users
   */
  static @Nullable Publish allowed(@Nullable Credential who, Publish publish) {
    if (who == null) {
      return publish;
    }
    String channel = publish.channel();
    boolean allowed =
        channel == null
            ? who.grants().send().allowAll(publish.users())
            : who.grants().mayPublish(channel);
    return allowed ? new Publish(who.user(), publish.users(), channel, publish.payload()) : null;
  }

  /**
   * What the header says; or the exchange is answered, counted before that, and this is null.
   *
   * @param refused counts refusals
   */
  private @Nullable Credential verified(HttpServerExchange exchange, LongAdder refused) {
    TokenVerifier tokens = access.tokens();
    String header = authorization(exchange);
    if (tokens == null || header == null) {
      refused.increment();
      challenge(exchange, "Bearer", "a bearer token is needed");
      return null;
    }
    if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      refused.increment();
      challenge(exchange, "Bearer", "the scheme of Authorization must be Bearer");
      return null;
    }
    Verdict verdict = tokens.verify(header.substring(SCHEME.length()).strip());
    if (verdict instanceof Verdict.Accepted accepted) {
      exchange.putAttachment(CREDENTIAL, accepted.credential());
      return accepted.credential();
    }
    refused.increment();
    if (verdict instanceof Verdict.Unavailable later) {
      int seconds = (int) Math.max(1, later.retryAfterMs() / 1_000);
      Problem.retryLater(
          exchange, seconds, ErrorCode.KEYS_UNAVAILABLE.wire(), "tokens cannot be checked now");
    } else if (verdict instanceof Verdict.Rejected rejected) {
      challenge(exchange, "Bearer error=\"invalid_token\"", rejected.why());
    }
    return null;
  }

  private static @Nullable String authorization(HttpServerExchange exchange) {
    return exchange.getRequestHeaders().getFirst(Headers.AUTHORIZATION);
  }

  /** Checking a token costs something: the next one costs its sender a socket as well. */
  private static void challenge(HttpServerExchange exchange, String challenge, String why) {
    exchange.getResponseHeaders().put(Headers.WWW_AUTHENTICATE, challenge);
    LastWord.say(
        exchange,
        () ->
            Problem.answer(exchange, StatusCodes.UNAUTHORIZED, ErrorCode.UNAUTHORIZED.wire(), why));
  }

  private static void forbidden(HttpServerExchange exchange, String why) {
    exchange
        .getResponseHeaders()
        .put(Headers.WWW_AUTHENTICATE, "Bearer error=\"insufficient_scope\"");
    Problem.answer(exchange, StatusCodes.FORBIDDEN, ErrorCode.FORBIDDEN.wire(), why);
  }
}
