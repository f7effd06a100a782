package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Frames;
import dev.holdfast.client.rules.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** The server's one channel: events, of which the oldest are kept no longer after a while. */
final class SimRoom {
  static final String CHANNEL = "rooms:lobby";

  private final RandomGenerator random;
  private final List<ObjectNode> events = new ArrayList<>();
  private final boolean gapToEnd;
  private long first = 1;

  SimRoom(RandomGenerator random) {
    this.random = random;
    this.gapToEnd = random.nextBoolean();
  }

  void publish() {
    String position = "%06d".formatted(events.size() + 1);
    ObjectNode event = Json.object().put("channel", CHANNEL).put("position", position);
    events.add(event.put("msgId", "e" + events.size()).put("ts", 1).put("payload", 1));
  }

  void trim() {
    first = Math.max(first, events.size() + 1 - random.nextInt(10));
  }

  void subscribe(SimConn conn, JsonNode wanted, boolean refusing) {
    if (refusing && random.nextBoolean()) {
      conn.subscribed &= !random.nextBoolean(); // one before it may go on
      String code = conn.subscribed ? "rate_limited" : "unavailable";
      ObjectNode error = Frames.of("error").put("code", code).put("retryable", true);
      error.putArray("channels").add("rooms:other").add(CHANNEL);
      conn.peer.frame(error.put("channel", "rooms:other").put("retryAfterMs", 700).toString());
      return;
    }
    conn.subscribed = true;
    String reason = "new";
    conn.eventsSent = events.size();
    if (wanted.has("position")) {
      long position = Long.parseLong(wanted.path("position").asText());
      boolean kept = position + 1 >= first;
      reason = kept ? "" : "gap";
      conn.eventsSent = kept ? position : gapToEnd ? events.size() : first - 1;
    }
    ObjectNode answer = Frames.of("subscribed").put("channel", CHANNEL);
    answer.put("recovered", reason.isEmpty()).put("reason", reason.isEmpty() ? null : reason);
    conn.peer.frame(answer.put("position", "%06d".formatted(conn.eventsSent)).toString());
  }

  static void unsubscribe(SimConn conn) {
    conn.subscribed = false;
    conn.peer.frame(Frames.of("unsubscribed").put("channel", CHANNEL).toString());
  }

  void flush(SimConn conn) {
    while (conn.subscribed && conn.eventsSent < events.size()) {
      ObjectNode event = events.get((int) conn.eventsSent++).deepCopy();
      conn.peer.frame(event.put("type", "event").toString());
    }
    if (conn.subscribed && random.nextInt(4) == 0) {
      String position = "%06d".formatted(conn.eventsSent);
      ObjectNode progress = Frames.of("progress").put("channel", CHANNEL);
      conn.peer.frame(progress.put("position", position).toString());
    }
  }
}
