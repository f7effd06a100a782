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
 * What a server does, in memory: one user's mailbox with an epoch, a room, the window, resume,
 * deduplication, refusals. It says what a client does wrong.
 */
final class SimServer {
  static final int MAX_BACKLOG = 20;
  private static final int WINDOW = 64;

  private final RandomGenerator random;
  private final Ledger ledger;
  private final List<ObjectNode> mailbox = new ArrayList<>();
  private final SimRoom room;
  private final Map<String, String> lines = new HashMap<>();
  private final Map<String, String> accepted = new HashMap<>();
  private long earliest = 1;
  private int epochs = 1;
  private int losses;
  private @Nullable SimConn current;
  private boolean refusing;
  private long msgIds;
  private long lostBelow;
  private final Map<String, Long> ackedEver = new HashMap<>();

  SimServer(RandomGenerator random, Ledger ledger) {
    this.random = random;
    this.ledger = ledger;
    this.room = new SimRoom(random);
  }

  String epoch() {
    return "epoch-" + epochs;
  }

  /** In which epoch, and after which loss of its end, a message was made. */
  String lineOf(String msgId) {
    return lines.getOrDefault(msgId, "none");
  }

  /** The messages that there are, by seq from 1. */
  List<String> msgIds() {
    return mailbox.stream().map(message -> message.path("msgId").asText()).toList();
  }

  long latest() {
    return mailbox.size();
  }

  /** While true sends are refused with {@code overloaded}. */
  void refuse(boolean now) {
    refusing = now;
  }

  /**
   * After a loss of the end only as long as a client can notice: not up to the cursor that it had.
   */
  void publish(int most) {
    long count = lostBelow == 0 ? most : Math.min(most, lostBelow - 1 - latest());
    for (int i = 0; i < count; i++) {
      long seq = mailbox.size() + 1L;
      ObjectNode message = Json.object().put("seq", seq).put("msgId", "m" + msgIds++);
      lines.put(message.path("msgId").asText(), epoch() + " " + losses);
      mailbox.add(message.put("from", "alice").put("ts", seq).put("payload", "p" + msgIds));
    }
    flush();
  }

  void publishEvent() {
    room.publish();
    flush();
  }

  /** What is older is kept no longer. */
  void trim() {
    earliest = Math.max(earliest, mailbox.size() - random.nextInt(30));
    room.trim();
  }

  /** The end of the mailbox is lost, with what a client acknowledged of it, and the epoch stays. */
  void loseTail() {
    long acked = ackedEver.values().stream().max(Long::compare).orElse(0L);
    long left = acked - 1 - random.nextInt(8);
    if (left < 1 || lostBelow > 0 || ledger.storeHasFailed()) {
      return; // a client of which nothing is known to be beyond could not notice
    }
    losses++;
    lostBelow = acked;
    mailbox.subList((int) left, mailbox.size()).clear();
    earliest = Math.min(earliest, left + 1);
    ackedEver.replaceAll((client, seq) -> Math.min(seq, left));
    ledger.tailLost(epoch(), left);
    closeAll(1012, "service_restart");
    publish(random.nextInt(4));
  }

  /** The mailbox is lost, and made anew. */
  void loseMailbox() {
    ledger.epochLost(epoch());
    epochs++;
    mailbox.clear();
    lostBelow = 0;
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

  void gone(SimConn.Peer peer) {
    if (current != null && current.peer == peer) {
      current = null;
    }
  }

  // ---- frames

  void frame(SimConn.Peer peer, String text) {
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
        case "subscribe" -> room.subscribe(conn, frame, refusing);
        case "unsubscribe" -> SimRoom.unsubscribe(conn);
        default -> ledger.violation("an unknown frame: " + text);
      }
      flush();
    }
  }

  private void hello(SimConn.Peer peer, JsonNode hello) {
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
    if (hello.has("lastSeq") && !"ahead".equals(reason)) {
      lostBelow = 0;
    }
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
      room.subscribe(conn, channel, refusing);
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
    lostBelow = 0;
    mailbox.subList((int) conn.acked, (int) Math.max(conn.acked, seq)).stream()
        .map(message -> message.path("msgId").asText())
        .forEach(ledger::acked);
    ledger.ackedUpTo(seq);
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
    room.flush(conn);
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
