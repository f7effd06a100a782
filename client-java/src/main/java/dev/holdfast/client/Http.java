package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.port.HttpAnswer;
import dev.holdfast.client.rules.Json;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks the node that the client is, or was last, connected to. Used on the loop only. */
final class Http {
  private static final String SOCKET_PATH = "/v1/ws";

  private final Core core;
  private @Nullable Link last;

  Http(Core core) {
    this.core = core;
  }

  /** Of this connection's node and token from now on. */
  void use(Link link) {
    last = link;
  }

  /** The account is left: neither its node nor its token is known any more. */
  void forget() {
    last = null;
  }

  /** The path, with parameters that are encoded already; fails when there was no connection yet. */
  CompletableFuture<HttpAnswer> get(String pathAndQuery) {
    Link link = last;
    URI url = link == null ? null : link.url();
    if (link == null || url == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("connect first: it is not known yet where to ask"));
    }
    String scheme = "wss".equals(url.getScheme()) ? "https" : "http";
    String path = String.valueOf(url.getRawPath()); // a proxy may have put something before it
    String before = path.endsWith(SOCKET_PATH) ? path.replaceFirst(SOCKET_PATH + "$", "") : "";
    URI where = URI.create(scheme + "://" + url.getRawAuthority() + before + pathAndQuery);
    return core.env().transport().get(where, link.token()).toCompletableFuture();
  }

  /** {@code user} and the parameters of a page. */
  String historyPath(long after, @Nullable String epoch, int limit) {
    String user = core.loader().user().isEmpty() ? core.session().clientId : core.loader().user();
    return "/v1/history?user="
        + encode(user)
        + "&after="
        + after
        + (epoch == null ? "" : "&epoch=" + encode(epoch))
        + "&limit="
        + limit;
  }

  static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  CompletableFuture<HistoryPage> history(long after, int limit) {
    return get(historyPath(after, null, limit)).thenApply(Http::good).thenApply(Http::page);
  }

  CompletableFuture<ChannelPage> channel(String channel, @Nullable String after, int limit) {
    String query = (after == null ? "?" : "?after=" + encode(after) + "&") + "limit=" + limit;
    return get("/v1/channels/" + encode(channel) + "/history" + query)
        .thenApply(Http::good)
        .thenApply(
            body -> {
              List<ChannelEvent> events = new ArrayList<>();
              body.path("events").forEach(event -> events.add(ChannelEvent.of(event)));
              return new ChannelPage(
                  events,
                  body.path("position").asText(),
                  body.path("more").asBoolean(),
                  body.path("lost").textValue());
            });
  }

  private static JsonNode good(HttpAnswer answer) {
    if (answer.status() != 200) {
      throw new HttpRefusedException(answer.status(), code(answer));
    }
    return Json.read(answer.body());
  }

  static HistoryPage page(JsonNode body) {
    List<Message> messages = new ArrayList<>();
    body.path("messages").forEach(message -> messages.add(Message.of(message)));
    return new HistoryPage(
        body.path("epoch").textValue(),
        messages,
        body.path("latestSeq").asLong(),
        body.path("earliestSeq").asLong(),
        body.path("more").asBoolean());
  }

  /** The problem document's code; empty where there is none. */
  static String code(HttpAnswer answer) {
    try {
      return Json.read(answer.body()).path("code").asText();
    } catch (IllegalArgumentException e) {
      return ""; // something in between answered
    }
  }
}
