package dev.holdfast.testkit.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A well-behaved client: reconnects with backoff over a list of edges, resumes where it was,
 * resends what is not yet {@code sent} under the same ids in order, drops repeats, acknowledges. It
 * writes down all it was given and all that was accepted, for the test to compare.
 */
public final class PhoneClient implements AutoCloseable {
  private final Phones phones;
  private final String user;
  private final String clientId;
  private final List<URI> edges;
  private final RandomGenerator random;
  private final Outbox outbox = new Outbox();
  private final PhoneLog log = new PhoneLog();
  private Consumer<PhoneLog.Handed> listener = message -> {};
  private long lastSeq;
  private @Nullable String epoch;
  private long attempt;
  private long nextId = 1;
  private int edge;
  private int failures;
  private boolean stopped = true;
  private boolean ackPending;
  private boolean retryPending;
  private @Nullable PhoneConnection connection;
  private CompletableFuture<Void> welcomed = new CompletableFuture<>();

  PhoneClient(
      Phones phones,
      String user,
      String clientId,
      List<URI> edges,
      long lastSeq,
      RandomGenerator random) {
    this.phones = phones;
    this.user = user;
    this.clientId = clientId;
    this.edges = List.copyOf(edges);
    this.lastSeq = lastSeq;
    this.random = random;
  }

  /** What comes from an earlier connection after its end is ignored. */
  boolean isOn(PhoneConnection candidate) {
    return connection == candidate;
  }

  /** Connects, and keeps connected until {@link #close}. */
  public synchronized PhoneClient start() {
    if (stopped) {
      stopped = false;
      connect();
    }
    return this;
  }

  private synchronized void connect() {
    if (stopped || connection != null) {
      return;
    }
    PhoneConnection next = new PhoneConnection(this, phones);
    connection = next;
    CompletableFuture<?> unused =
        phones
            .http
            .newWebSocketBuilder()
            .subprotocols("holdfast.v1")
            .connectTimeout(Duration.ofMillis(phones.timing.welcomeTimeoutMs()))
            .buildAsync(edges.get(edge), next.socket)
            .whenComplete(
                (socket, error) -> {
                  if (error == null) {
                    hello(next);
                  } else {
                    next.ended(TextSocket.ABNORMAL, error.toString());
                  }
                });
  }

  private synchronized void hello(PhoneConnection on) {
    if (connection != on) {
      on.socket.abort("superseded");
      return;
    }
    attempt = Math.max(attempt + 1, System.currentTimeMillis());
    on.greet(PhoneFrames.hello(user, clientId, lastSeq, epoch, attempt));
  }

  void take(PhoneConnection on, String text) {
    JsonNode frame = PhoneFrames.read(text);
    switch (frame.path("type").asText()) {
      case "welcome" -> welcome(on, frame);
      case "message" -> message(on, frame);
      case "sent" -> accepted(frame);
      case "error" -> error(on, frame);
      case "" -> log.violation("no frame: " + text);
      default -> log.count(frame.path("type").asText());
    }
  }

  private void welcome(PhoneConnection on, JsonNode frame) {
    on.welcome(frame.path("heartbeat").path("intervalMs").asLong(25_000));
    failures = 0;
    epoch = frame.path("epoch").asText();
    if (frame.path("resumed").asBoolean()) {
      log.count("resumed");
    } else {
      log.count("not resumed: " + frame.path("reason").asText());
      lastSeq = frame.path("seq").asLong();
    }
    welcomed.complete(null);
    outbox.reconnected();
    outbox.due().forEach(on.socket::sendText);
  }

  private void message(PhoneConnection on, JsonNode frame) {
    long seq = frame.path("seq").asLong();
    if (seq <= lastSeq) {
      log.count("repeat");
    } else if (seq > lastSeq + 1) {
      log.violation("gap: " + seq + " after " + lastSeq);
      on.socket.abort("gap");
      return;
    } else {
      lastSeq = seq;
      PhoneLog.Handed message =
          new PhoneLog.Handed(
              seq,
              frame.path("msgId").asText(),
              frame.path("from").asText(),
              frame.path("payload").toString(),
              System.nanoTime());
      log.handed(message);
      listener.accept(message);
    }
    if (!ackPending) {
      ackPending = true;
      on.later(phones.timing.ackMs(), () -> ack(on));
    }
  }

  private void ack(PhoneConnection on) {
    ackPending = false;
    on.socket.sendText("{\"type\":\"ack\",\"seq\":" + lastSeq + "}");
  }

  private void accepted(JsonNode frame) {
    outbox
        .accepted(
            frame.path("clientMsgId").asText(), frame.path("msgId").asText(), System.nanoTime())
        .ifPresent(log::sent);
    flush();
  }

  private void error(PhoneConnection on, JsonNode frame) {
    log.count("error " + frame.path("code").asText());
    if (!frame.has("clientMsgId")) {
      return;
    }
    if (!frame.path("retryable").asBoolean()) {
      outbox.rejected(frame.path("clientMsgId").asText());
      flush();
      return;
    }
    outbox.refused();
    if (!retryPending) {
      retryPending = true;
      long wait = Math.max(100, frame.path("retryAfterMs").asLong());
      on.later(
          wait + random.nextLong(wait),
          () -> {
            retryPending = false;
            outbox.retry().forEach(on.socket::sendText);
          });
    }
  }

  private void flush() {
    PhoneConnection on = connection;
    if (on != null && on.isWelcomed()) {
      outbox.due().forEach(on.socket::sendText);
    }
  }

  void lost(int code) {
    connection = null;
    ackPending = false;
    retryPending = false;
    welcomed = welcomed.isDone() ? new CompletableFuture<>() : welcomed;
    log.count("closed " + code);
    if (stopped || phones.timing.endsForGood(code)) {
      stopped = true;
      return;
    }
    edge = (edge + 1) % edges.size();
    phones.schedule(phones.timing.waitMs(code, failures++, random), this::connect);
  }

  /** Sends to one user; returns the clientMsgId. {@code payloadJson} is any JSON. */
  public String send(String toUser, String payloadJson) {
    return send(List.of(toUser), payloadJson);
  }

  /** Sends to several users in one frame. */
  public synchronized String send(List<String> toUsers, String payloadJson) {
    String id = "m" + nextId++;
    JsonNode payload = PhoneFrames.read(payloadJson);
    if (payload.isMissingNode()) {
      throw new IllegalArgumentException("payload is no JSON: " + payloadJson);
    }
    outbox.add(
        id,
        PhoneFrames.send(id, toUsers, payload),
        List.copyOf(toUsers),
        payload.toString(),
        System.nanoTime());
    flush();
    return id;
  }

  /** Drops the connection without a word, as a tunnel does; it reconnects by itself. */
  public synchronized void cut() {
    if (connection != null) {
      connection.socket.abort("cut by the test");
    }
  }

  /** Is told each message under this phone's lock: be quick, and call no other phone. */
  public synchronized void onMessage(Consumer<PhoneLog.Handed> told) {
    listener = told;
  }

  /** Completes at the next welcome, or has when welcomed now. */
  public synchronized CompletableFuture<Void> welcomed() {
    return welcomed.copy();
  }

  public String user() {
    return user;
  }

  public String clientId() {
    return clientId;
  }

  /** What happened to this phone so far. */
  public PhoneLog log() {
    return log;
  }

  /** Sends without their {@code sent}. */
  public synchronized int unsent() {
    return outbox.size();
  }

  public synchronized long lastSeq() {
    return lastSeq;
  }

  /** False after a close code that ends it for good, and after {@link #close}. */
  public synchronized boolean running() {
    return !stopped;
  }

  /** Disconnects for good; what was written down stays. */
  @Override
  public synchronized void close() {
    stopped = true;
    if (connection != null) {
      connection.socket.abort("closed by the test");
    }
  }
}
