package dev.holdfast.standalone.pages;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.JsonIo;
import dev.holdfast.edge.page.Pages;
import dev.holdfast.id.Names;
import dev.holdfast.standalone.relay.Links;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The small API of the panel. Every request needs the header of {@link Guard}.
 *
 * <pre>
 *  GET  /dev/status                                          edges, links, flood, market
 *  POST /dev/links/{tag}/cut|freeze|thaw|offline|online      what happens to a page's connection
 *  POST /dev/edges/{id}/kill                                 an edge dies, and is back after 5 s
 *  POST /dev/flood   {user|channel, n?, perSecond?}          many messages
 *  POST /dev/market/start {perSecond?}                       prices, for 30 s from now
 * </pre>
 */
final class DevControl {
  private static final int USUAL_FLOOD = 200;

  private final EdgeBoard board;
  private final Links links;
  private final Flood flood;
  private final Supplier<@Nullable Market> market;
  private final Guard guard;

  DevControl(
      EdgeBoard board, Links links, Flood flood, Supplier<@Nullable Market> market, Guard guard) {
    this.board = board;
    this.links = links;
    this.flood = flood;
    this.market = market;
    this.guard = guard;
  }

  /**
   * @param library whether the pages have the JavaScript library
   * @param tokens whether clients need tokens
   */
  Pages.Answer answer(Pages.Request request, boolean library, boolean tokens) {
    String refusal = guard.refusal(request);
    if (refusal != null) {
      return json(403, null, out -> out.writeStringField("detail", refusal));
    }
    String origin = request.header("Origin");
    if (request.method().equals("OPTIONS")) {
      return preflight(origin);
    }
    String[] parts = request.path().substring(1).split("/", -1);
    if (parts.length == 2 && parts[1].equals("status")) {
      return request.reads()
          ? json(200, origin, out -> status(out, library, tokens))
          : problem(405, origin, "GET only");
    }
    if (!request.method().equals("POST")) {
      return problem(405, origin, "POST only");
    }
    try {
      return post(parts, Fields.of(request.body()), origin);
    } catch (IllegalArgumentException e) {
      return problem(400, origin, String.valueOf(e.getMessage()));
    }
  }

  private Pages.Answer post(String[] parts, Fields body, @Nullable String origin) {
    if (parts.length == 4 && parts[1].equals("links")) {
      return link(parts[2], parts[3], origin);
    }
    if (parts.length == 4 && parts[1].equals("edges") && parts[3].equals("kill")) {
      return switch (board.kill(parts[2])) {
        case DYING -> done(202, origin);
        case DOWN -> problem(409, origin, "the edge is down already");
        case UNKNOWN -> problem(404, origin, "there is no such edge");
      };
    }
    if (parts.length == 2 && parts[1].equals("flood")) {
      return flood(body, origin);
    }
    if (parts.length == 3 && parts[1].equals("market") && parts[2].equals("start")) {
      return market(body, origin);
    }
    return problem(404, origin, "there is nothing at this path");
  }

  private Pages.Answer link(String tag, String what, @Nullable String origin) {
    if (!Links.isTag(tag)) {
      return problem(400, origin, "a tag is 1-64 characters of [A-Za-z0-9._~-]");
    }
    return switch (what) {
      case "cut" -> count(links.cut(tag), origin);
      case "freeze" -> count(links.freeze(tag), origin);
      case "thaw" -> count(links.thaw(tag), origin);
      case "offline" ->
          links.offline(tag)
              ? done(200, origin)
              : problem(409, origin, Links.MOST_OFFLINE + " tags are offline already");
      case "online" ->
          links.online(tag) ? done(200, origin) : problem(404, origin, "it is not offline");
      default -> problem(404, origin, "a link can be cut, freeze, thaw, offline, online");
    };
  }

  private static Pages.Answer count(int links, @Nullable String origin) {
    return links == 0
        ? problem(404, origin, "no connection has this tag now")
        : json(200, origin, out -> out.writeNumberField("links", links));
  }

  private Pages.Answer flood(Fields body, @Nullable String origin) {
    String user = body.text("user");
    String channel = body.text("channel");
    if ((user == null) == (channel == null)) {
      return problem(400, origin, "one of user and channel says where it goes");
    }
    if (user != null && !Names.valid(user)) {
      return problem(400, origin, "the user is no name");
    }
    int n = body.number("n", 1, Flood.MOST, USUAL_FLOOD);
    int perSecond = body.number("perSecond", 1, Flood.MOST_RATE, USUAL_FLOOD);
    return flood.start(user, channel, n, perSecond)
        ? done(202, origin)
        : problem(409, origin, "a flood is under way; one at a time");
  }

  private Pages.Answer market(Fields body, @Nullable String origin) {
    Market walk = market.get();
    if (walk == null) {
      return problem(409, origin, "no namespace ticks with mode=latest is served");
    }
    walk.lease(body.number("perSecond", 1, Market.MOST_RATE, Market.USUAL_RATE));
    return json(200, origin, out -> out.writeNumberField("leaseMs", Market.LEASE_MS));
  }

  private void status(JsonGenerator out, boolean library, boolean tokens) throws IOException {
    out.writeBooleanField("library", library);
    out.writeBooleanField("tokens", tokens);
    out.writeArrayFieldStart("edges");
    for (EdgeBoard.View edge : board.edges()) {
      out.writeStartObject();
      out.writeStringField("id", edge.id());
      out.writeBooleanField("up", edge.up());
      out.writeStringField("http", edge.http());
      out.writeStringField("ws", edge.ws());
      out.writeStringField("relay", edge.relay());
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeArrayFieldStart("links");
    for (Links.View link : links.views()) {
      out.writeStartObject();
      out.writeStringField("edge", link.edge());
      out.writeStringField("tag", link.tag());
      out.writeBooleanField("frozen", link.frozen());
      out.writeNumberField("bytesUp", link.bytesUp());
      out.writeNumberField("bytesDown", link.bytesDown());
      out.writeNumberField("ms", link.ms());
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeArrayFieldStart("offline");
    for (String tag : links.offlineTags()) {
      out.writeString(tag);
    }
    out.writeEndArray();
    traffic(out);
  }

  private void traffic(JsonGenerator out) throws IOException {
    Flood.View last = flood.view();
    if (last != null) {
      out.writeObjectFieldStart("flood");
      out.writeBooleanField("running", last.running());
      out.writeNumberField("n", last.n());
      out.writeNumberField("sent", last.sent());
      out.writeNumberField("accepted", last.accepted());
      out.writeNumberField("refused", last.refused());
      out.writeStringField("trouble", last.trouble());
      out.writeEndObject();
    }
    Market walk = market.get();
    if (walk != null) {
      out.writeObjectFieldStart("market");
      out.writeBooleanField("running", walk.isRunning());
      out.writeNumberField("perSecond", walk.rate());
      out.writeNumberField("written", walk.written());
      out.writeArrayFieldStart("symbols");
      for (String symbol : walk.symbols()) {
        out.writeString(symbol);
      }
      out.writeEndArray();
      out.writeEndObject();
    }
  }

  private static Pages.Answer preflight(@Nullable String origin) {
    Map<String, String> headers = headers(origin);
    headers.put("Access-Control-Allow-Methods", "GET, POST");
    headers.put("Access-Control-Allow-Headers", "Content-Type, " + Guard.HEADER);
    headers.put("Access-Control-Max-Age", "60");
    return new Pages.Answer(204, headers, new byte[0]);
  }

  private static Pages.Answer done(int status, @Nullable String origin) {
    return json(status, origin, out -> {});
  }

  private static Pages.Answer problem(int status, @Nullable String origin, String detail) {
    return json(status, origin, out -> out.writeStringField("detail", detail));
  }

  /**
   * @param fields writes the fields of the object that is the answer
   */
  private static Pages.Answer json(int status, @Nullable String origin, JsonIo.Writer fields) {
    byte[] body =
        JsonIo.write(
            out -> {
              out.writeStartObject();
              fields.write(out);
              out.writeEndObject();
            });
    Map<String, String> headers = headers(origin);
    headers.put("Content-Type", "application/json");
    headers.put("Cache-Control", "no-store");
    return new Pages.Answer(status, headers, body);
  }

  private static Map<String, String> headers(@Nullable String origin) {
    Map<String, String> headers = new HashMap<>();
    headers.put("Vary", "Origin");
    if (origin != null) {
      headers.put("Access-Control-Allow-Origin", origin);
    }
    return headers;
  }
}
