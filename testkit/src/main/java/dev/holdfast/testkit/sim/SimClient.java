package dev.holdfast.testkit.sim;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One installation, as an SDK behaves: keeps its cursor, resumes, acknowledges, sends again what
 * got no answer, comes back at any edge.
 */
final class SimClient {
  final String user;
  final String clientId;
  private final World world;
  private final Network network;
  private final Outbox outbox;
  private final History history;
  private final boolean namesAttempt;
  private @Nullable SimSocket socket;
  private boolean live;
  private boolean wanted = true;
  private long attempt;
  private long onConnection;
  private long unacked;
  private boolean ackScheduled;
  private long silentAckUntil;

  SimClient(String user, String clientId, World world, Network network, Ledger ledger) {
    this.user = user;
    this.clientId = clientId;
    this.world = world;
    this.network = network;
    this.outbox = new Outbox(user + '/' + clientId, world, ledger);
    this.history = new History(user, clientId, world.chance(2));
    this.namesAttempt = !world.chance(4);
  }

  History history() {
    return history;
  }

  boolean wanted() {
    return wanted;
  }

  /** Connected and welcomed. */
  boolean live() {
    return live;
  }

  /** Whether everything it sent was answered. */
  boolean quiet() {
    return outbox.empty();
  }

  void start() {
    world.after(world.between(0, 1_000), this::connect);
    world.after(world.between(0, 20_000), this::ping);
  }

  /** The application sends something. */
  void send(List<String> to) {
    String frame = outbox.add(to);
    if (live && socket != null) {
      socket.upward(frame);
    }
  }

  private void connect() {
    SimEdge edge = network.anyEdge();
    if (socket != null || !wanted) {
      return;
    }
    if (edge == null) {
      world.after(500, this::connect);
      return;
    }
    attempt++;
    SimSocket opened = new SimSocket(world, edge, this);
    socket = opened;
    live = false;
    world.note(clientId, "of", user, "connects to", edge.id, "as", opened.session().connId());
    opened.upward(hello());
    world.after(
        12_000,
        () -> {
          if (socket == opened && !live) {
            drop(1006);
          }
        });
  }

  private String hello() {
    StringBuilder hello = new StringBuilder(120);
    hello.append("{\"type\":\"hello\",\"clientId\":\"").append(clientId);
    hello.append("\",\"user\":\"").append(user).append('"');
    if (history.cursor() >= 0) {
      hello.append(",\"lastSeq\":").append(history.cursor());
    }
    if (history.epoch() != null) {
      hello.append(",\"epoch\":\"").append(history.epoch()).append('"');
    }
    if (namesAttempt) {
      hello.append(",\"attempt\":").append(attempt);
    }
    return hello.append('}').toString();
  }

  private void ping() {
    world.after(15_000, this::ping);
    if (socket != null) {
      socket.upward("ping");
    }
  }

  void onFrame(SimSocket from, byte[] utf8) {
    if (from != socket || utf8.length == 4) {
      return;
    }
    ServerFrame frame = ServerFrame.read(utf8);
    switch (frame.type()) {
      case "welcome" -> onWelcome(from, frame);
      case "message" -> onMessage(frame);
      case "sent" -> outbox.sent(frame.text("clientMsgId"));
      case "error" -> onError(frame);
      default -> {}
    }
  }

  private void onWelcome(SimSocket from, ServerFrame frame) {
    if (live) {
      throw new Violation(clientId + " of " + user + " was welcomed twice");
    }
    live = true;
    history.welcome(frame);
    onConnection = history.cursor();
    unacked = onConnection;
    outbox.all().forEach(from::upward);
  }

  private void onMessage(ServerFrame frame) {
    long seq = frame.number("seq");
    if (!live || seq != onConnection + 1) {
      throw new Violation(
          String.join(
              " ", clientId, "of", user, "got", frame.toString(), "after", "" + onConnection));
    }
    onConnection = seq;
    history.message(seq, frame.text("msgId") + ' ' + frame.text("payload"));
    if (!ackScheduled) {
      ackScheduled = true;
      long wait = world.chance(2) ? 0 : world.between(0, 300);
      world.after(Math.max(wait, silentAckUntil - world.now()), this::ack);
    }
  }

  private void ack() {
    ackScheduled = false;
    if (live && socket != null && onConnection > unacked) {
      unacked = onConnection;
      socket.upward("{\"type\":\"ack\",\"seq\":" + onConnection + '}');
    }
  }

  private void onError(ServerFrame frame) {
    String id = frame.optional("clientMsgId");
    if (id == null || !frame.text("retryable").equals("true")) {
      throw new Violation(clientId + " of " + user + " was refused: " + frame);
    }
    if (outbox.refused()) {
      world.after(world.between(50, 500), this::sendAgain);
    }
  }

  private void sendAgain() {
    outbox.sendingAgain();
    if (live && socket != null) {
      outbox.all().forEach(socket::upward);
    }
  }

  void onClosed(SimSocket from, int code) {
    if (from == socket) {
      if (code == 4002 && namesAttempt && network.nobodyIsDropped()) {
        throw new Violation(
            clientId + " of " + user + " was replaced by an older connection: " + attempt);
      }
      if (code == 4002 && !network.nobodyIsDropped()) {
        wanted = false;
      }
      drop(code);
    }
  }

  private void drop(int code) {
    SimSocket old = socket;
    world.note(clientId, "of", user, "loses its connection:", code);
    socket = null;
    live = false;
    if (old != null) {
      old.hangUp();
    }
    world.after(world.between(50, 3_000), this::connect);
  }

  /** The connection breaks, seen or unseen. */
  void cut(boolean silently) {
    SimSocket old = socket;
    if (old == null) {
      return;
    }
    world.note(clientId, "of", user, silently ? "is cut off silently" : "is cut off");
    if (silently) {
      old.silence();
      world.after(
          world.between(1_000, 12_000),
          () -> {
            if (socket == old) {
              drop(1006);
            }
          });
    } else {
      old.reset();
    }
  }

  /** Reads slowly, or reads but does not acknowledge. */
  void slow(long ms) {
    if (socket != null && world.chance(2)) {
      socket.readSlowly(ms);
    } else {
      silentAckUntil = world.now() + ms;
    }
  }

  /** Goes away for good, or comes back. */
  void want(boolean online) {
    wanted = online;
    if (online) {
      world.after(0, this::connect);
    } else if (socket != null) {
      drop(1000);
    }
  }
}
