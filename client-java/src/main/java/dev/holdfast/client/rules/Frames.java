package dev.holdfast.client.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** What a client sends, as text (protocol.md, section 3). */
public final class Frames {
  public static final String PING = "ping";
  public static final String PONG = "pong";

  private Frames() {}

  public static String ack(long seq) {
    return "{\"type\":\"ack\",\"seq\":" + seq + "}";
  }

  public static String auth(String token) {
    return of("auth").put("token", token).toString();
  }

  /** A payload goes out byte for byte as it was given. */
  public static String send(Outbox.Entry entry) {
    JsonNode to = Json.read(entry.to());
    String where =
        to.has("channel")
            ? "\"channel\":" + Json.write(to.path("channel").asText())
            : "\"to\":" + entry.to();
    String id = Json.write(entry.clientMsgId());
    return "{\"type\":\"send\",\"clientMsgId\":%s,%s,\"payload\":".formatted(id, where)
        + entry.payload()
        + "}";
  }

  /** Subscriptions, in frames of about {@code chars} characters at most. */
  public static List<String> subscribe(List<ObjectNode> wanted, int chars) {
    List<String> frames = new ArrayList<>();
    List<ObjectNode> next = new ArrayList<>();
    int used = 0;
    for (ObjectNode one : wanted) {
      int length = one.toString().length() + 1;
      if (used + length > chars && !next.isEmpty()) {
        frames.add(subscribe(next));
        next.clear();
        used = 0;
      }
      next.add(one);
      used += length;
    }
    if (!next.isEmpty()) {
      frames.add(subscribe(next));
    }
    return frames;
  }

  /** One subscription stands by itself, several as a list. */
  private static String subscribe(List<ObjectNode> wanted) {
    ObjectNode frame = of("subscribe");
    if (wanted.size() == 1) {
      frame.setAll(wanted.get(0));
    } else {
      frame.putArray("channels").addAll(wanted);
    }
    return frame.toString();
  }

  public static String unsubscribe(String channel) {
    return of("unsubscribe").put("channel", channel).toString();
  }

  /** {@code type} is {@code watch} or {@code unwatch}. */
  public static String users(String type, Collection<String> users) {
    ObjectNode frame = of(type);
    ArrayNode names = frame.putArray("users");
    users.forEach(names::add);
    return frame.toString();
  }

  public static ObjectNode of(String type) {
    return Json.object().put("type", type);
  }
}
