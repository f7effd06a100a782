package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.port.HttpAnswer;
import dev.holdfast.client.rules.Frames;
import dev.holdfast.client.rules.Json;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server does, in memory: one user's mailbox with an epoch, one channel, the window, resume,
 * deduplication, refusals. It says what a client does wrong.
 */
final class SimServer {
  static final int MAX_BACKLOG = 20;
  static final String CHANNEL = "rooms:lobby";
  private static final int WINDOW = 64;

  /** One connection of the server's side; it never sees what the network has lost. */
  interface Peer {
    void frame(String text);

    void close(int code, String reason);
  }

  private final RandomGenerator random;
  private final Ledger ledger;
  private final List<ObjectNode> mailbox = new ArrayList<>();
  private final List<ObjectNode> events = new ArrayList<>();
  private final Map<String, String> epochsOf = new HashMap<>();
  private final Map<String, String> accepted = new HashMap<>();
  private long earliest = 1;
  private int epochs = 1;
  private @Nullable SimConn current;
  private boolean refusing;
  private long msgIds;
  private final Map<String, Long> ackedEver = new HashMap<>();

  SimServer(RandomGenerator random, Ledger ledger) {
    this.random = random;
    this.ledger = ledger;
  }

  String epoch() {
    return "epoch-" + epochs;
  }

  /** In which epoch a message was made. */
  String epochOf(String msgId) {
    return epochsOf.getOrDefault(msgId, "none");
  }

  long latest() {
    return mailbox.size();
  }

  /** While true sends are refused with {@code overloaded}. */
  void refuse(boolean now) {
    refusing = now;
  }

  void publish(int count) {
    for (int i = 0; i < count; i++) {
      long seq = mailbox.size() + 1L;
      ObjectNode message = Json.object().put("seq", seq).put("msgId", "m" + msgIds++);
      epochsOf.put(message.path("msgId").asText(), epoch());
      mailbox.add(message.put("from", "alice").put("ts", seq).put("payload", "p" + msgIds));
    }
    flush();
  }

  void publishEvent() {
    String position = "%06d".formatted(events.size() + 1);
    ObjectNode event = Json.object().put("channel", CHANNEL).put("position", position);
    events.add(event.put("msgId", "e" + events.size()).put("ts", 1).put("payload", 1));
    flush();
  }

  /** What is older is kept no longer. */
  void trim() {
    earliest = Math.max(earliest, mailbox.size() - random.nextInt(30));
  }

  /** The mailbox is lost, and made anew. */
  void loseMailbox() {
    ledger.epochLost(epoch());
    epochs++;
    mailbox.clear();
    earliest = 1;
    ackedEver.clear();
    closeAll(1012, "service_restart");
  }

  void closeAll(int code, String reason) {
    SimConn conn = current;
    current = null;
    if (conn != null) {
      conn.peer.close(code, reason);
    }
  }

  void gone(Peer peer) {
    if (current != null && current.peer == peer) {
      current = null;
    }
  }

  // ---- frames

  void frame(Peer peer, String text) {
    if (text.equals(Frames.PING)) {
      peer.frame(Frames.PONG);
      return;
    }
    JsonNode frame = Json.read(text);
    SimConn conn = current;
    String type = frame.path("type").asText();
    if (type.equals("hello")) {
      hello(peer, frame);
    } else if (conn != null && conn.peer == peer) {
      switch (type) {
        case "ack" -> ack(conn, frame.path("seq").asLong());
        case "send" -> send(conn, frame);
        case "subscribe" -> subscribe(conn, frame);
        default -> ledger.violation("an unknown frame: " + text);
      }
      flush();
    }
  }

  private void hello(Peer peer, JsonNode hello) {
    ledger.attempt(hello.path("clientId").asText(), hello.path("attempt").asLong());
    String token = hello.path("token").asText();
    if (!ledger.isValid(token)) {
      peer.close(4401, "unauthorized");
      return;
    }
    SimConn before = current;
    current = null;
    if (before != null) {
      before.peer.close(4002, "replaced");
    }
    SimConn conn = new SimConn(peer, token, hello.path("clientId").asText());
    String reason = reason(hello);
    conn.sent = reason == null ? hello.path("lastSeq").asLong() : latest();
    conn.acked = conn.sent;
    long ackSeq =
        reason == null || List.of("gap", "expired").contains(reason)
            ? hello.path("lastSeq").asLong()
            : ackedEver.getOrDefault(conn.clientId, 0L);
    ackedEver.merge(conn.clientId, conn.acked, Math::max);
    ObjectNode welcome = Frames.of("welcome").put("resumed", reason == null).put("epoch", epoch());
    if (reason != null) {
      welcome.put("reason", reason);
    }
    welcome.put("seq", latest()).put("ackSeq", ackSeq).put("sessionToken", "t");
    welcome.putObject("heartbeat").put("intervalMs", 25_000).put("timeoutMs", 8_000);
    welcome.putObject("limits").put("payloadBytes", 65_536).put("dedupWindowMs", 86_400_000);
    current = conn;
    peer.frame(welcome.toString());
    for (JsonNode channel : hello.path("channels")) {
      subscribe(conn, channel);
    }
    flush();
  }

  private @Nullable String reason(JsonNode hello) {
    if (!hello.has("lastSeq")) {
      return "new";
    }
    long last = hello.path("lastSeq").asLong();
    if (hello.has("epoch") && !hello.path("epoch").asText().equals(epoch())) {
      return "epoch";
    }
    if (last > latest()) {
      return "ahead";
    }
    return last + 1 < earliest || latest() - last > MAX_BACKLOG ? "gap" : null;
  }

  private void ack(SimConn conn, long seq) {
    if (seq > conn.sent) {
      ledger.violation("ack of " + seq + ", sent were " + conn.sent);
    }
    ledger.acked(epoch(), conn.acked, seq);
    if (seq > conn.acked) {
      conn.acked = seq;
      ackedEver.merge(conn.clientId, seq, Math::max);
      conn.window = Math.min(WINDOW, conn.window * 2);
    }
  }

  private void send(SimConn conn, JsonNode frame) {
    String id = frame.path("clientMsgId").asText();
    boolean blocked = conn.blockedOn != null && !conn.blockedOn.equals(id);
    if (blocked || (refusing && random.nextBoolean())) {
      conn.blockedOn = blocked ? conn.blockedOn : id;
      String code = blocked ? "out_of_order" : "overloaded";
      ObjectNode error = Frames.of("error").put("code", code).put("retryable", true);
      conn.peer.frame(error.put("clientMsgId", id).put("retryAfterMs", 500).toString());
      return;
    }
    conn.blockedOn = null;
    String msgId = accepted.get(id);
    if (msgId == null) {
      msgId = "s" + accepted.size();
      accepted.put(id, msgId);
      ledger.stored(id, frame.path("payload").asLong());
    }
    conn.peer.frame(Frames.of("sent").put("clientMsgId", id).put("msgId", msgId).toString());
  }

  private void subscribe(SimConn conn, JsonNode wanted) {
    conn.subscribed = true;
    boolean recovered = wanted.has("position");
    conn.eventsSent = recovered ? Long.parseLong(wanted.path("position").asText()) : events.size();
    ObjectNode answer = Frames.of("subscribed").put("channel", CHANNEL).put("recovered", recovered);
    if (!recovered) {
      answer.put("reason", "new");
    }
    conn.peer.frame(answer.put("position", "%06d".formatted(conn.eventsSent)).toString());
  }

  private void flush() {
    SimConn conn = current;
    if (conn == null) {
      return;
    }
    while (conn.sent < latest() && conn.sent - conn.acked < conn.window) {
      ObjectNode message = mailbox.get((int) conn.sent).deepCopy();
      conn.sent++;
      conn.peer.frame(message.put("type", "message").toString());
    }
    if (!conn.synced && conn.sent == latest()) {
      conn.synced = true;
      conn.peer.frame(Frames.of("sync").put("cursor", conn.sent).toString());
    }
    while (conn.subscribed && conn.eventsSent < events.size()) {
      ObjectNode event = events.get((int) conn.eventsSent++).deepCopy();
      conn.peer.frame(event.put("type", "event").toString());
    }
  }

  /** A token ends: connections with it too. */
  void expire(String token) {
    if (current != null && current.token.equals(token)) {
      closeAll(4401, "unauthorized");
    }
  }

  // ---- HTTP

  HttpAnswer get(URI url) {
    String query = url.getQuery();
    long after = Long.parseLong(param(query, "after"));
    if (!param(query, "epoch").equals(epoch())) {
      return new HttpAnswer(409, "{\"code\":\"other_epoch\"}", -1);
    }
    int limit = Math.min(7, Integer.parseInt(param(query, "limit")));
    ObjectNode page = Json.object().put("epoch", epoch()).put("latestSeq", latest());
    ArrayNode messages = page.put("earliestSeq", earliest).putArray("messages");
    long first = Math.max(after + 1, earliest);
    for (long seq = first; seq <= latest() && messages.size() < limit; seq++) {
      messages.add(mailbox.get((int) seq - 1));
    }
    page.put("more", first + messages.size() <= latest());
    ledger.kept(epoch(), earliest);
    return new HttpAnswer(200, page.toString(), -1);
  }

  private static String param(String query, String name) {
    var matcher = Pattern.compile("(?:^|&)" + name + "=([^&]*)").matcher(query);
    return matcher.find() ? matcher.group(1) : "";
  }
}
