package dev.holdfast.testkit.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client of channels that comes back by itself, on the next edge, with its positions, and sends
 * again what was not answered. What it is handed, it keeps. Thread-safe.
 */
public final class ChannelClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final long AGAIN_MS = 200;
  private static final long PING_S = 20;
  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "channel-clients");
            thread.setDaemon(true);
            return thread;
          });

  private static final class Channel {
    private @Nullable String position;
    private boolean subscribed;
    private final List<String> events = new ArrayList<>();
  }

  private final String id;
  private final List<URI> edges;
  private final Map<String, Channel> channels = new LinkedHashMap<>();
  private final Map<String, ObjectNode> unanswered = new LinkedHashMap<>();
  private final List<String> trouble = new ArrayList<>();
  private int edge;
  private int connections;
  private int opened;
  private int answered;
  private int lost;
  private boolean losing;
  private boolean welcomed;
  private boolean closed;
  private @Nullable TextSocket socket;

  /**
   * @param first index of the edge that it comes to first
   */
  public ChannelClient(String id, List<URI> edges, int first, List<String> channels) {
    this.id = id;
    this.edges = List.copyOf(edges);
    this.edge = first;
    channels.forEach(name -> this.channels.put(name, new Channel()));
  }

  /** Connects, now and whenever the connection is lost. */
  public synchronized ChannelClient start() {
    connect();
    return this;
  }

  private synchronized void connect() {
    if (closed) {
      return;
    }
    int mine = ++connections;
    welcomed = false;
    losing = false;
    channels.values().forEach(channel -> channel.subscribed = false);
    TextSocket next = new TextSocket(new Events(mine));
    socket = next;
    var unused =
        HTTP.newWebSocketBuilder()
            .connectTimeout(Duration.ofSeconds(10))
            .subprotocols("holdfast.v1")
            .buildAsync(edges.get(edge++ % edges.size()), next)
            .whenComplete(
                (open, failure) -> {
                  if (failure == null) {
                    opened(mine);
                  } else {
                    lost(mine);
                  }
                });
  }

  private synchronized void opened(int connection) {
    if (connection != connections) {
      return;
    }
    opened++;
    ObjectNode hello = JSON.createObjectNode().put("type", "hello").put("clientId", id);
    hello.put("attempt", connection);
    var list = hello.putArray("channels");
    channels.forEach(
        (name, channel) -> {
          ObjectNode one = list.addObject().put("channel", name);
          if (channel.position != null) {
            one.put("position", channel.position);
          }
        });
    write(hello.toString());
    ping(connection);
  }

  private void ping(int connection) {
    var unused = TIMER.schedule(() -> pingNow(connection), PING_S, TimeUnit.SECONDS);
  }

  private synchronized void pingNow(int connection) {
    if (connection == connections && !closed) {
      write("ping");
      ping(connection);
    }
  }

  private synchronized void lost(int connection) {
    if (connection == connections && !closed) {
      connections++;
      welcomed = false;
      var unused = TIMER.schedule(this::connect, AGAIN_MS, TimeUnit.MILLISECONDS);
    }
  }

  private final class Events implements TextSocket.Events {
    private final int mine;

    Events(int mine) {
      this.mine = mine;
    }

    @Override
    public void frame(String text) {
      take(mine, text);
    }

    @Override
    public void ended(int code, String reason) {
      if (code >= 4_000) {
        note("closed " + code + " " + reason);
      }
      lost(mine);
    }
  }

  private synchronized void note(String what) {
    trouble.add(what);
  }

  private synchronized void take(int connection, String text) {
    if (connection != connections || text.equals("pong")) {
      return;
    }
    JsonNode frame = parse(text);
    Channel channel = channels.get(frame.path("channel").asText());
    switch (frame.path("type").asText()) {
      case "welcome" -> {
        welcomed = true;
        unanswered.values().forEach(send -> write(send.toString()));
      }
      case "subscribed" -> {
        if (channel != null) {
          if (!frame.path("recovered").asBoolean() && channel.position != null) {
            trouble.add(text);
          }
          channel.subscribed = true;
          channel.position = frame.path("position").asText();
        }
      }
      case "event" -> {
        if (channel != null) {
          channel.position = frame.path("position").asText();
          channel.events.add(frame.path("payload").asText());
        }
      }
      case "progress" -> {
        if (channel != null) {
          channel.position = frame.path("position").asText();
        }
      }
      case "sent" -> {
        if (losing) {
          lost++;
        } else if (unanswered.remove(frame.path("clientMsgId").asText()) != null) {
          answered++;
        }
      }
      case "error" -> refused(connection, frame, channel);
      default -> {}
    }
  }

  private void refused(int connection, JsonNode frame, @Nullable Channel channel) {
    if (!frame.path("retryable").asBoolean()) {
      trouble.add(frame.toString());
    } else if (frame.has("clientMsgId")) {
      String refused = frame.path("clientMsgId").asText();
      if (!frame.path("code").asText().equals("out_of_order")) {
        later(connection, () -> resend(refused));
      }
    } else if (channel != null) {
      channel.subscribed = false;
      later(connection, () -> subscribe(frame.path("channel").asText(), channel));
    }
  }

  private void later(int connection, Runnable task) {
    var unused =
        TIMER.schedule(
            () -> {
              synchronized (this) {
                if (connection == connections) {
                  task.run();
                }
              }
            },
            AGAIN_MS,
            TimeUnit.MILLISECONDS);
  }

  /** The refused one and all after it, in order. */
  private void resend(String from) {
    boolean reached = false;
    for (Map.Entry<String, ObjectNode> send : unanswered.entrySet()) {
      reached |= send.getKey().equals(from);
      if (reached) {
        write(send.getValue().toString());
      }
    }
  }

  private void subscribe(String name, Channel channel) {
    ObjectNode frame = JSON.createObjectNode().put("type", "subscribe").put("channel", name);
    if (channel.position != null) {
      frame.put("position", channel.position);
    }
    write(frame.toString());
  }

  /** Sends to a channel; it comes again until it is answered. */
  public synchronized void post(String channel, String clientMsgId, String payload) {
    ObjectNode send =
        JSON.createObjectNode()
            .put("type", "send")
            .put("clientMsgId", clientMsgId)
            .put("channel", channel)
            .put("payload", payload);
    unanswered.put(clientMsgId, send);
    if (welcomed) {
      write(send.toString());
    }
  }

  /**
   * Where it is connected to this edge now: on this connection no further answer to a send comes to
   * it, as if each was lost on its way. What it was about is stored, and comes again.
   */
  public synchronized void loseAnswers(URI from) {
    losing = welcomed && from.equals(edges.get(Math.floorMod(edge - 1, edges.size())));
  }

  /** Answers that were lost so. */
  public synchronized int lostAnswers() {
    return lost;
  }

  private void write(String text) {
    TextSocket open = socket;
    if (open != null) {
      open.sendText(text);
    }
  }

  /** Whether it was told of all its channels on its present connection. */
  public synchronized boolean subscribed() {
    return welcomed && channels.values().stream().allMatch(channel -> channel.subscribed);
  }

  /** Payloads of a channel's events, in the order of their coming. */
  public synchronized List<String> events(String channel) {
    Channel of = channels.get(channel);
    return of == null ? List.of() : List.copyOf(of.events);
  }

  /** Events of all channels. */
  public synchronized int eventCount() {
    return channels.values().stream().mapToInt(channel -> channel.events.size()).sum();
  }

  /** Sends that were answered. */
  public synchronized int answered() {
    return answered;
  }

  /** Sends that were not. */
  public synchronized int unanswered() {
    return unanswered.size();
  }

  /** {@code recovered=false}, closes with a code of the protocol, and final refusals. */
  public synchronized List<String> trouble() {
    return List.copyOf(trouble);
  }

  /** Connections that it made. */
  public synchronized int connections() {
    return opened;
  }

  @Override
  public synchronized void close() {
    closed = true;
    connections++;
    if (socket != null) {
      socket.abort("closed by the test");
    }
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not JSON: " + text, e);
    }
  }
}
