package dev.holdfast.client;

import dev.holdfast.client.port.Ended;
import dev.holdfast.client.port.HttpAnswer;
import dev.holdfast.client.port.Socket;
import dev.holdfast.client.port.SocketListener;
import dev.holdfast.client.port.Transport;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Connections that are slow, break, freeze, and tell their end late, twice or in odd order. */
final class SimNetwork implements Transport {
  private static final String[] REFUSALS = {"unreachable", "503", "429", "500"};

  private final FakeTime time;
  private final RandomGenerator random;
  private final SimServer server;
  private final List<Wire> wires = new ArrayList<>();
  private boolean down;
  private int tries;

  SimNetwork(FakeTime time, RandomGenerator random, SimServer server) {
    this.time = time;
    this.random = random;
    this.server = server;
  }

  void down(boolean now) {
    down = now;
  }

  int tries() {
    return tries;
  }

  @Override
  public Socket connect(URI url, SocketListener listener) {
    tries++;
    Wire wire = new Wire(listener);
    wires.add(wire);
    long live = wires.stream().filter(w -> !w.left && !w.told).count();
    if (live > 1) {
      throw new AssertionError(live + " live sockets");
    }
    if (down) {
      String how = REFUSALS[random.nextInt(REFUSALS.length)];
      int status = how.equals("unreachable") ? 0 : Integer.parseInt(how);
      wire.later(() -> wire.tell(new Ended(1006, how, status, status == 503 ? 2_000 : -1)));
    } else if (random.nextInt(20) > 0) { // else it hangs until the time-out
      wire.later(wire::open);
    }
    return wire;
  }

  @Override
  public CompletionStage<HttpAnswer> get(URI url, @Nullable String token) {
    CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
    time.later(
        random.nextInt(300),
        () -> {
          if (down || random.nextInt(10) == 0) {
            answer.completeExceptionally(new IllegalStateException("no answer"));
          } else if (random.nextInt(10) == 0) {
            answer.complete(new HttpAnswer(503, "", 1_000));
          } else {
            HttpAnswer page = server.get(url);
            time.later(random.nextInt(300), () -> answer.complete(page));
          }
        });
    return answer;
  }

  /** The process that had them is gone. */
  void abandonAll() {
    wires.forEach(wire -> wire.left = true);
    wires.forEach(wire -> wire.later(() -> server.gone(wire.peer)));
  }

  /** Breaks what there is, told to the client in any way. */
  void cut() {
    wires.stream().filter(wire -> !wire.left && !wire.told).forEach(Wire::cut);
  }

  /** Nothing passes any more, and nobody is told. */
  void freeze() {
    wires.stream().filter(wire -> !wire.left && !wire.told).forEach(wire -> wire.frozen = true);
  }

  private final class Wire implements Socket {
    final SimConn.Peer peer = new Far();

    final SocketListener listener;
    boolean left;
    boolean told;
    boolean frozen;
    long lastDown;
    long lastUp;

    Wire(SocketListener listener) {
      this.listener = listener;
    }

    void later(Runnable what) {
      time.later(random.nextInt(200), what);
    }

    void open() {
      if (!told) {
        listener.opened();
      }
    }

    void tell(Ended how) {
      told = true;
      listener.ended(how);
      if (random.nextInt(3) == 0) { // error and close, or the same again, and late
        time.later(random.nextInt(5_000), () -> listener.ended(Ended.broken("late")));
        time.later(random.nextInt(5_000), () -> listener.text("{\"type\":\"message\",\"seq\":1}"));
        time.later(random.nextInt(5_000), listener::opened);
      }
    }

    void cut() {
      frozen = true;
      later(() -> tell(Ended.broken("cut")));
      later(() -> server.gone(peer));
    }

    private final class Far implements SimConn.Peer {
      @Override
      public void frame(String text) {
        down(() -> listener.text(text));
      }

      @Override
      public void close(int code, String reason) {
        down(() -> tell(Ended.closed(code, reason)));
      }
    }

    @Override
    public void close(int code, String reason) {
      abort();
    }

    /** In order, each a little later. */
    private void down(Runnable what) {
      lastDown = Math.max(lastDown, time.tickMs() + random.nextInt(40));
      time.later(
          lastDown - time.tickMs(),
          () -> {
            if (!frozen && !told) {
              what.run();
            }
          });
    }

    @Override
    public void send(String text) {
      lastUp = Math.max(lastUp, time.tickMs() + random.nextInt(40));
      time.later(
          lastUp - time.tickMs(),
          () -> {
            if (!frozen) {
              server.frame(peer, text);
            }
          });
    }

    @Override
    public void abort() {
      left = true;
      later(() -> server.gone(peer));
    }

    @Override
    public void more() {}
  }
}
