package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.port.HttpAnswer;
import dev.holdfast.client.port.Socket;
import dev.holdfast.client.port.SocketListener;
import dev.holdfast.client.port.Transport;
import dev.holdfast.client.rules.Frames;
import dev.holdfast.client.rules.Json;
import dev.holdfast.client.store.Store;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One client whose server and time a test plays by hand. */
final class Rig implements Transport {
  /** Under which the client's rows stand. */
  static final String ROWS = "holdfast/1/ws://edge.test/v1/ws/bob/";

  final FakeTime time = new FakeTime(1_795_998_649_000L);
  final HoldfastClient client;
  final List<String> telemetry = new ArrayList<>();
  final List<URI> asked = new ArrayList<>();
  private final ArrayDeque<ScriptWire> attempts = new ArrayDeque<>();

  Rig(Store store) {
    this(store, builder -> builder.user("bob"));
  }

  Rig(Store store, UnaryOperator<HoldfastClientBuilder> options) {
    Env env =
        new Env(time::soon, time::soon, time, time::later, new SplittableRandom(1), this, store);
    HoldfastClientBuilder builder = HoldfastClient.builder().url("ws://edge.test/v1/ws").env(env);
    client = options.apply(builder).build();
    client.onTelemetry(event -> telemetry.add(event.type() + " " + event.reason()));
  }

  @Override
  public Socket connect(URI url, SocketListener listener) {
    ScriptWire wire = new ScriptWire(listener);
    attempts.add(wire);
    return wire;
  }

  @Override
  public CompletionStage<HttpAnswer> get(URI url, @Nullable String token) {
    asked.add(url);
    return new CompletableFuture<>();
  }

  /** Lets time pass until a connection is tried, or so much is over. */
  void untilAttempt(long mostMs) {
    for (long passed = 0; attempts.isEmpty() && passed < mostMs; passed += 100) {
      time.pass(100);
    }
  }

  /** Takes the attempt that must be there, and opens it. */
  ScriptWire open() {
    time.settle();
    assertThat(attempts).as("an attempt").isNotEmpty();
    ScriptWire wire = attempts.remove();
    wire.listener.opened();
    time.settle();
    return wire;
  }

  /** As {@link #open}, and welcomes it; returns the connection with what follows the hello. */
  ScriptWire online() {
    ScriptWire wire = open();
    frame(wire, "hello");
    welcome(wire, 0);
    return wire;
  }

  void welcome(ScriptWire wire, long seq) {
    ObjectNode welcome = Frames.of("welcome").put("resumed", false).put("reason", "new");
    welcome.put("epoch", "e").put("seq", seq).put("ackSeq", seq).put("connId", "c");
    welcome.putObject("heartbeat").put("intervalMs", 25_000).put("timeoutMs", 8_000);
    tell(wire, welcome.toString());
    assertThat(client.state()).isEqualTo(State.ONLINE);
  }

  void tell(ScriptWire wire, String text) {
    wire.listener.text(text.replace('\'', '"'));
    time.settle();
  }

  /** The next frame that the client sent, which must be of this type. */
  JsonNode frame(ScriptWire wire, String type) {
    assertThat(wire.sent).as("a frame").isNotEmpty();
    JsonNode frame = Json.read(wire.sent.remove());
    assertThat(frame.path("type").asText()).isEqualTo(type);
    return frame;
  }
}
