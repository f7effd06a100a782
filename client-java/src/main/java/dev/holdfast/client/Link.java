package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.port.Ended;
import dev.holdfast.client.port.Socket;
import dev.holdfast.client.port.SocketListener;
import dev.holdfast.client.rules.Frames;
import dev.holdfast.client.rules.Json;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One connection, from asking for the URL to its end. Whatever its socket tells after that is
 * dropped. Used on the loop only.
 */
final class Link {
  /** Of 96 KiB that a server takes. */
  private static final int HELLO_CHARS = 64 * 1024;

  private static final long LEAST_HEARTBEAT_MS = 100;
  private static final long INTERVAL_MS = 25_000;
  private static final long TIMEOUT_MS = 8_000;

  private final Core core;
  private final int generation;
  private final Pulse pulse;
  private final Renewal renewal;
  private final Approach approach;
  private @Nullable URI url;
  private @Nullable String token;
  private @Nullable Socket socket;
  private @Nullable String connId;
  private long helloSeq = Session.NONE;
  private boolean unheardBefore;
  private boolean asked;
  private boolean welcomed;
  private boolean over;

  Link(Core core, int generation) {
    this.core = core;
    this.generation = generation;
    this.pulse = new Pulse(core, this);
    this.renewal = new Renewal(core, this);
    this.approach = new Approach(core, this);
  }

  @Nullable String connId() {
    return connId;
  }

  @Nullable URI url() {
    return url;
  }

  @Nullable String token() {
    return token;
  }

  void token(String renewed) {
    token = renewed;
  }

  /** What the {@code hello} said; {@link Session#NONE} when it said nothing. */
  long helloSeq() {
    return helloSeq;
  }

  /** An earlier {@code hello} may have been answered, and nobody heard it. */
  boolean unheardBefore() {
    return unheardBefore;
  }

  // ---- the way to the hello

  void start() {
    approach.begin(generation);
  }

  /** A token of the application's function, or the fixed one; null without either. */
  CompletableFuture<@Nullable String> askToken() {
    return approach.askToken();
  }

  /** It is known where to, and whose. */
  void connect(URI where, @Nullable String with) {
    url = where;
    token = with;
    Session session = core.session();
    session.nextAttempt(core.env().now());
    unheardBefore = session.unheard;
    session.unheard = true; // stored with the attempt: this process may not live to hear the answer
    core.inbox().store();
    core.http().use(this);
    core.keeper().whenTried(ok -> open(where));
  }

  // ---- what the socket tells, on threads of its own

  private final class Events implements SocketListener {
    @Override
    public void opened() {
      core.env().loop().execute(() -> whileHere(Link.this::hello));
    }

    @Override
    public void text(String text) {
      core.env().loop().execute(() -> whileHere(() -> received(text)));
    }

    @Override
    public void ended(Ended how) {
      core.env().loop().execute(() -> end(how));
    }
  }

  private void whileHere(Runnable work) {
    if (!over && core.machine().isCurrent(this)) {
      work.run();
    }
  }

  /** The store has the attempt, or has failed. */
  private void open(URI where) {
    if (!over) {
      socket = core.env().transport().connect(where, new Events());
    }
  }

  private void hello() {
    Session session = core.session();
    helloSeq = session.lastSeq;
    asked = true;
    ObjectNode hello = Frames.of("hello").put("clientId", session.clientId);
    if (core.options().user() != null) {
      hello.put("user", core.options().user());
    }
    if (helloSeq != Session.NONE) {
      hello.put("lastSeq", helloSeq);
      hello.put("epoch", session.epoch);
    }
    hello.put("attempt", session.attempt);
    if (token != null) {
      hello.put("token", token);
    }
    if (session.sessionToken != null) {
      hello.put("sessionToken", session.sessionToken);
    }
    int room = HELLO_CHARS - hello.toString().length();
    room -= core.channels().hello(hello, room);
    core.watches().hello(hello, room);
    send(hello.toString());
  }

  private void received(String text) {
    pulse.received();
    if (!text.equals(Frames.PONG)) {
      try {
        frame(Json.read(text));
      } catch (IllegalArgumentException e) {
        core.telemetry("bad_frame").error(e).tell();
      }
    }
    Socket current = socket;
    if (!over && current != null) {
      current.more();
    }
  }

  private void frame(JsonNode frame) {
    String type = frame.path("type").asText();
    if (type.equals("welcome") && !welcomed) {
      welcome(frame);
      return;
    }
    if (type.equals("error")) {
      error(frame);
      return;
    }
    if (!welcomed) {
      return; // nothing else comes before
    }
    switch (type) {
      case "message" -> core.inbox().message(this, frame);
      case "sync" -> core.machine().synced();
      case "sent" -> core.sender().sent(frame);
      case "presence" -> core.watches().presence(frame);
      case "subscribed" -> core.channels().subscribed(frame);
      case "event" -> core.channels().event(frame);
      case "progress" -> core.channels().progress(frame);
      case "unsubscribed" -> core.channels().unsubscribed(frame);
      default -> {} // of a later version
    }
  }

  private void welcome(JsonNode frame) {
    welcomed = true;
    core.session().unheard = false;
    connId = frame.path("connId").textValue();
    JsonNode heartbeat = frame.path("heartbeat");
    pulse.start(
        Math.max(LEAST_HEARTBEAT_MS, heartbeat.path("intervalMs").asLong(INTERVAL_MS)),
        Math.max(LEAST_HEARTBEAT_MS, heartbeat.path("timeoutMs").asLong(TIMEOUT_MS)));
    core.machine().welcomed(this);
    core.inbox().welcome(this, frame);
    core.sender().welcome(frame.path("limits"));
    core.channels().welcome();
    core.watches().welcome();
    core.backlog().go();
  }

  private void error(JsonNode frame) {
    String code = frame.path("code").asText();
    core.telemetry("refused").reason(code).tell();
    if (code.equals("token_expiring")) {
      renewal.now();
    } else if (code.equals("keys_unavailable")) {
      renewal.in(frame.path("retryAfterMs").asLong(Renewal.AGAIN_MS));
    } else if (frame.has("clientMsgId")) {
      core.sender().refused(this, frame);
    } else if (frame.has("channel") || frame.has("channels")) {
      core.channels().refused(frame);
    } else if (frame.has("users")) {
      core.watches().refused(frame);
    }
  }

  // ---- what the client does with it

  void send(String text) {
    Socket current = socket;
    if (!over && current != null) {
      pulse.sent();
      current.send(text);
    }
  }

  void probe(long withinMs) {
    pulse.probe(withinMs);
  }

  boolean isOver() {
    return over;
  }

  void end(Ended how) {
    if (!over) {
      finish();
      core.machine().ended(this, how);
    }
  }

  /** Says why, and does not wait for an answer. */
  void leave(int code, String reason) {
    if (!over) {
      finish();
      if (socket != null) {
        socket.close(code, reason);
      }
    }
  }

  /** Without a word. */
  void abort() {
    if (!over) {
      finish();
      if (socket != null) {
        socket.abort();
      }
    }
  }

  private void finish() {
    over = true;
    pulse.stop();
    renewal.stop();
    if (url != null && !asked) {
      core.session().unheard = unheardBefore; // it never got as far
    }
  }
}
