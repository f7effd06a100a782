package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.port.Ended;
import dev.holdfast.client.port.HttpAnswer;
import dev.holdfast.client.port.Socket;
import dev.holdfast.client.port.SocketListener;
import dev.holdfast.client.port.Transport;
import dev.holdfast.client.rules.Json;
import dev.holdfast.client.store.MemoryStore;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Plays one transcript against the client: it is the server, the application and the time. */
final class Script implements Transport {
  private static final long BEGINS = 1_795_998_649_000L;

  private final FakeTime time = new FakeTime(BEGINS);
  private final Pattern pattern = new Pattern();
  private final MemoryStore store = new MemoryStore();
  private final ArrayDeque<ScriptWire> attempts = new ArrayDeque<>();
  private final Map<Integer, ScriptWire> wires = new HashMap<>();
  private final ArrayDeque<Request> requests = new ArrayDeque<>();
  private final Map<String, ArrayDeque<JsonNode>> told = new HashMap<>();
  private final Map<String, Integer> failing = new HashMap<>();
  private final Map<String, CompletableFuture<Sent>> promises = new HashMap<>();
  private final List<String> tokens = new ArrayList<>();
  private final JsonNode head;
  private final HoldfastClient client;

  private record Request(URI url, CompletableFuture<HttpAnswer> answer) {}

  Script(JsonNode head) {
    this.head = head;
    JsonNode options = head.path("options");
    HoldfastClientBuilder builder =
        HoldfastClient.builder().url("ws://edge.test/v1/ws").env(world());
    if (options.has("user")) {
      builder.user(options.path("user").asText());
    }
    if (options.has("clientId")) {
      builder.clientId(options.path("clientId").asText());
    }
    JsonNode token = options.path("token");
    if (token.isTextual()) {
      builder.token(token.asText());
    } else if (token.isArray()) {
      token.forEach(one -> tokens.add(one.asText()));
      builder.token(() -> CompletableFuture.completedFuture(tokens.remove(0)));
    }
    client = builder.build();
    listen();
  }

  private Env world() {
    return new Env(time::soon, time::soon, time, time::later, chance(), this, store);
  }

  private RandomGenerator chance() {
    if (!head.has("random")) {
      return new SplittableRandom(1);
    }
    double always = head.path("random").asDouble();
    return new RandomGenerator() {
      @Override
      public long nextLong() {
        return 0x9E3779B97F4A7C15L;
      }

      @Override
      public double nextDouble() {
        return always;
      }
    };
  }

  private void listen() {
    client.onMessage(message -> handle("message", message));
    client.onHistory(history -> handle("history", history));
    client.onEvent(event -> handle("event", event));
    client.onPresence(presence -> tell("presence", presence));
    client.onSubscribed(subscribed -> tell("subscribed", subscribed));
    client.onUnsubscribed(unsubscribed -> tell("unsubscribed", unsubscribed));
    client.onDropped(dropped -> tell("dropped", dropped));
    client.onSent(sent -> tell("sent", sent));
    client.onTelemetry(
        event ->
            told.computeIfAbsent("telemetry", k -> new ArrayDeque<>())
                .add(Json.read(event.toJson())));
  }

  private void handle(String kind, Object value) {
    tell(kind, value);
    int left = failing.getOrDefault(kind, 0);
    if (left > 0) {
      failing.put(kind, left - 1);
      throw new IllegalStateException("the transcript says so");
    }
  }

  private void tell(String kind, Object value) {
    told.computeIfAbsent(kind, k -> new ArrayDeque<>()).add(Json.mapper().valueToTree(value));
  }

  @Override
  public Socket connect(URI url, SocketListener listener) {
    ScriptWire wire = new ScriptWire(listener);
    attempts.add(wire);
    return wire;
  }

  @Override
  public CompletionStage<HttpAnswer> get(URI url, @Nullable String token) {
    Request request = new Request(url, new CompletableFuture<>());
    requests.add(request);
    return request.answer();
  }

  /** One line after the other. */
  void play(List<JsonNode> lines) {
    int number = 1;
    for (JsonNode line : lines) {
      number++;
      if (!line.path("only").asText("client").equals("client")) {
        continue;
      }
      try {
        line(line);
        time.settle();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("line " + number + ": " + line + "\n" + e.getMessage(), e);
      }
    }
    nothingElseWasTold();
  }

  private void nothingElseWasTold() {
    for (String kind : List.of("message", "history", "event", "dropped")) {
      assertThat(told.getOrDefault(kind, new ArrayDeque<>())).as("more " + kind).isEmpty();
    }
    assertThat(attempts).as("attempts that the transcript does not have").isEmpty();
    assertThat(requests).as("requests that the transcript does not have").isEmpty();
  }

  private void line(JsonNode line) {
    if (line.has("c")) {
      connection(line);
    } else if (line.has("app")) {
      app(line);
    } else if (line.has("tell")) {
      ArrayDeque<JsonNode> queue =
          told.getOrDefault(line.path("tell").asText(), new ArrayDeque<>());
      assertThat(queue).as("told").isNotEmpty();
      pattern.match(line.path("tell").asText(), line.path("value"), queue.remove());
    } else if (line.has("settled")) {
      settled(line);
    } else if (line.has("state")) {
      assertThat(client.state().label()).isEqualTo(line.path("state").asText());
    } else if (line.has("signal")) {
      signal(line.path("signal").asText());
    } else if (line.has("wait")) {
      time.pass(line.path("wait").asLong());
    } else if (line.has("store")) {
      store.set(
          Map.of(
              "holdfast/1/ws://edge.test/v1/ws/"
                  + head.path("options").path("user").asText()
                  + "/session",
              line.path("store").toString()));
    } else if (line.has("get")) {
      get(line);
    } else if (!line.has("server")) {
      fail("a line that nobody understands");
    }
  }

  private void connection(JsonNode line) {
    int c = line.path("c").asInt();
    if (line.has("open") || line.has("fail")) {
      assertThat(attempts).as("an attempt").isNotEmpty();
      ScriptWire wire = attempts.remove();
      wires.put(c, wire);
      if (line.has("open")) {
        wire.listener.opened();
      } else {
        int status = line.path("fail").asInt(0);
        wire.listener.ended(new Ended(1006, line.path("fail").asText(), status, -1));
      }
      return;
    }
    ScriptWire wire = wires.get(c);
    if (wire == null) {
      throw new AssertionError("connection " + c + " was never opened");
    }
    if (line.has("send")) {
      assertThat(wire.sent).as("a frame from the client").isNotEmpty();
      String frame = wire.sent.remove();
      JsonNode expected = line.path("send");
      if (expected.isTextual()) {
        assertThat(frame).isEqualTo(expected.asText());
      } else {
        pattern.match("frame", expected, Json.read(frame));
      }
    } else if (line.has("recv")) {
      JsonNode frame = line.path("recv");
      wire.listener.text(frame.isTextual() ? frame.asText() : pattern.fill(frame).toString());
    } else if (line.has("cut") || line.has("error")) {
      wire.listener.ended(Ended.broken("cut"));
    } else if (line.has("close")) {
      Ended how = Ended.closed(line.path("close").asInt(), line.path("reason").asText());
      if (line.path("by").asText().equals("client")) {
        assertThat(wire.closed).isEqualTo(how);
      } else {
        wire.listener.ended(how);
      }
    }
  }

  private void app(JsonNode line) {
    JsonNode args = line.path("args");
    switch (line.path("app").asText()) {
      case "connect" -> client.connect();
      case "close" -> client.disconnect();
      case "logout" -> client.logout();
      case "send" -> send(line.path("as").asText(), args);
      case "subscribe" -> client.subscribe(args.path(0).asText());
      case "unsubscribe" -> client.unsubscribe(args.path(0).asText());
      case "watch" -> client.watch(names(args.path(0)));
      case "unwatch" -> client.unwatch(names(args.path(0)));
      case "fail" -> failing.put(args.path(0).asText(), args.path(1).asInt());
      default -> fail("no such method");
    }
  }

  private void send(String as, JsonNode args) {
    JsonNode to = args.path(0);
    To whom =
        to.has("user")
            ? To.user(to.path("user").asText())
            : to.has("channel")
                ? To.channel(to.path("channel").asText())
                : To.users(names(to.path("users")));
    String id = args.path(2).path("clientMsgId").textValue();
    promises.put(
        as, id == null ? client.send(whom, args.path(1)) : client.send(whom, args.path(1), id));
  }

  private static List<String> names(JsonNode array) {
    List<String> names = new ArrayList<>();
    array.forEach(name -> names.add(name.asText()));
    return names;
  }

  private void settled(JsonNode line) {
    CompletableFuture<Sent> promise =
        promises.getOrDefault(line.path("settled").asText(), new CompletableFuture<>());
    assertThat(promise).as("settled").isDone();
    if (line.has("error")) {
      assertThat(promise.handle((sent, error) -> error).join())
          .isInstanceOfSatisfying(
              NotSentException.class,
              e -> assertThat(e.reason()).isEqualTo(line.path("error").asText()));
    } else {
      pattern.match("sent", line.path("value"), Json.mapper().valueToTree(promise.join()));
    }
  }

  private void signal(String what) {
    switch (what) {
      case "online" -> client.networkAvailable(true);
      case "offline" -> client.networkAvailable(false);
      case "visible", "changed" -> client.wake();
      default -> assertThat(what).isEqualTo("hidden");
    }
  }

  private void get(JsonNode line) {
    assertThat(requests).as("a request").isNotEmpty();
    Request request = requests.remove();
    String url = request.url().toString();
    assertThat(url).isEqualTo("http://edge.test" + pattern.fillIn(line.path("get").asText()));
    JsonNode answer = line.path("answer");
    JsonNode body = pattern.fill(answer.path("body"));
    request.answer().complete(new HttpAnswer(answer.path("status").asInt(), body.toString(), -1));
  }
}
