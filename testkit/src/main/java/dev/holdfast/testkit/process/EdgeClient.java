package dev.holdfast.testkit.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * A WebSocket client that does what the test says and nothing else: no acks, no reconnects. Frames
 * are kept in order until they are taken; the literal {@code pong} shows as {@code
 * {"type":"pong","literal":true}}.
 */
public final class EdgeClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** How the connection ended; 1006 without a close frame. */
  public record Closed(int code, String reason) {}

  private final List<JsonNode> frames = new ArrayList<>();
  private final CompletableFuture<Closed> closed = new CompletableFuture<>();
  private final TextSocket socket = new TextSocket(new Events());
  private String subprotocol = "";

  private EdgeClient() {}

  private final class Events implements TextSocket.Events {
    @Override
    public void frame(String text) {
      synchronized (frames) {
        frames.add(parse(text));
        frames.notifyAll();
      }
    }

    @Override
    public void ended(int code, String reason) {
      closed.complete(new Closed(code, reason));
      synchronized (frames) {
        frames.notifyAll();
      }
    }
  }

  /** Connects offering {@code holdfast.v1}. */
  public static EdgeClient connect(URI uri) throws InterruptedException {
    return connect(uri, Map.of(), "holdfast.v1");
  }

  /**
   * Connects.
   *
   * @param subprotocol what to offer; empty: nothing
   */
  public static EdgeClient connect(URI uri, Map<String, String> headers, String subprotocol)
      throws InterruptedException {
    try {
      return tryConnect(uri, headers, subprotocol)
          .get(CONNECT_TIMEOUT.toMillis() * 2, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("cannot connect to " + uri + ": " + e, e);
    }
  }

  /** Fails with {@link java.net.http.WebSocketHandshakeException} when the edge refuses. */
  public static CompletableFuture<EdgeClient> tryConnect(
      URI uri, Map<String, String> headers, String subprotocol) {
    EdgeClient client = new EdgeClient();
    WebSocket.Builder builder = HTTP.newWebSocketBuilder().connectTimeout(CONNECT_TIMEOUT);
    headers.forEach(builder::header);
    if (!subprotocol.isEmpty()) {
      builder.subprotocols(subprotocol);
    }
    return builder
        .buildAsync(uri, client.socket)
        .thenApply(
            open -> {
              client.subprotocol = open.getSubprotocol();
              return client;
            });
  }

  /** Connects, says hello as {@code clientId} with {@code fields}, and takes the welcome. */
  public static EdgeClient welcomed(URI uri, Map<String, ?> fields) throws InterruptedException {
    EdgeClient client = connect(uri);
    client.hello(fields);
    client.await("welcome", Duration.ofSeconds(15));
    return client;
  }

  /** What the server chose; empty when nothing. */
  public String subprotocol() {
    return subprotocol;
  }

  public void hello(Map<String, ?> fields) {
    ObjectNode hello = JSON.createObjectNode().put("type", "hello");
    hello.setAll((ObjectNode) JSON.valueToTree(fields));
    send(hello);
  }

  /** {@code send} to one user. */
  public void sendTo(String user, String clientMsgId, Object payload) {
    ObjectNode send = JSON.createObjectNode().put("type", "send").put("clientMsgId", clientMsgId);
    send.putObject("to").put("user", user);
    send.set("payload", JSON.valueToTree(payload));
    send(send);
  }

  public void ack(long seq) {
    send(JSON.createObjectNode().put("type", "ack").put("seq", seq));
  }

  public void send(JsonNode frame) {
    socket.sendText(frame.toString());
  }

  /** Any text, also what is no JSON. */
  public void sendText(String text) {
    socket.sendText(text);
  }

  public void sendBinary(byte[] bytes) {
    socket.sendBinary(bytes);
  }

  public void pauseReading() {
    socket.pauseReading();
  }

  public void resumeReading() {
    socket.resumeReading();
  }

  /** Takes the oldest frame of {@code type}; those of other types stay. */
  public JsonNode await(String type, Duration timeout) throws InterruptedException {
    return await(frame -> type.equals(frame.path("type").asText()), type, timeout);
  }

  /** Takes the oldest frame that {@code wanted} accepts; {@code what} names it in the failure. */
  public JsonNode await(Predicate<JsonNode> wanted, String what, Duration timeout)
      throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    synchronized (frames) {
      while (true) {
        for (int i = 0; i < frames.size(); i++) {
          if (wanted.test(frames.get(i))) {
            return frames.remove(i);
          }
        }
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0 || closed.isDone()) {
          throw new AssertionError(
              "no " + what + " within " + timeout + "; closed: " + closed + "; others: " + frames);
        }
        frames.wait(left);
      }
    }
  }

  /** Takes the next {@code count} messages. */
  public List<JsonNode> messages(int count, Duration timeout) throws InterruptedException {
    List<JsonNode> messages = new ArrayList<>();
    while (messages.size() < count) {
      messages.add(await("message", timeout));
    }
    return messages;
  }

  /** What came and was not taken, oldest first. */
  public List<JsonNode> pending() {
    synchronized (frames) {
      return List.copyOf(frames);
    }
  }

  /** Completes when the connection has ended. */
  public CompletableFuture<Closed> closed() {
    return closed.copy();
  }

  public Closed awaitClosed(Duration timeout) throws InterruptedException {
    try {
      return closed.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new AssertionError("not closed within " + timeout + "; frames: " + pending(), e);
    }
  }

  /** Closes with a close frame. */
  public void close(int code, String reason) {
    socket.sendClose(code, reason);
  }

  /** Drops the connection without a close frame, as a lost phone does. */
  public void abort() {
    socket.abort("aborted by the test");
  }

  @Override
  public void close() {
    abort();
  }

  private static JsonNode parse(String text) {
    if (text.equals("pong") || text.equals("ping")) {
      return JSON.createObjectNode().put("type", text).put("literal", true);
    }
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return JSON.createObjectNode().put("type", "not JSON").put("text", text);
    }
  }
}
