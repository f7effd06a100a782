package dev.holdfast.client;

import dev.holdfast.client.port.Timers;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * One client, one server, and a seed that decides what goes wrong when. The client's process may
 * die and begin again from its store. At the end all is well again, and everything must be where it
 * belongs.
 */
final class Simulation {
  private static final long BEGINS = 1_795_998_649_000L;
  private static final boolean TRACE = Boolean.getBoolean("holdfast.trace");
  private static final int STEPS = 60;
  private static final long CALM_MS = 900_000;

  private final SplittableRandom random;
  private final FakeTime time = new FakeTime(BEGINS);
  private final SimStore store;
  private final Ledger ledger;
  private final SimServer server;
  private final SimNetwork network;
  private final boolean crashes;
  private Life life;
  private long sends;
  private long published;
  private long events;

  /** One process of the client; of a dead one nothing runs any more. */
  private final class Life {
    final HoldfastClient client;
    final Set<Object> timers = new HashSet<>();
    boolean dead;

    Life() {
      Executor loop = task -> time.soon(() -> run(task));
      Executor app = task -> time.later(random.nextInt(5), () -> run(task));
      Env env = new Env(loop, app, time, this::timer, random.split(), network, store);
      client =
          HoldfastClient.builder()
              .url("ws://edge.test/v1/ws")
              .user("bob")
              .token(() -> CompletableFuture.completedFuture(ledger.validToken()))
              .env(env)
              .build();
      client.onMessageAsync(this::message);
      client.onHistoryAsync(this::history);
      client.onEventAsync(event -> handle(() -> ledger.event(event)));
      client.subscribe(SimRoom.CHANNEL);
      client.onTelemetry(this::trace);
      client.onSubscribed(this::subscribed);
    }

    private void subscribed(Subscribed now) {
      if ("new".equals(now.reason())) {
        ledger.eventsFrom(Long.parseLong(now.position()));
      } else if (!now.recovered()) {
        ledger.eventsGone(Long.parseLong(now.position()));
      }
    }

    private void trace(Telemetry event) {
      if (TRACE) {
        System.out.println(time.tickMs() + " " + event.toJson());
      }
    }

    private void run(Runnable task) {
      if (!dead) {
        task.run();
      }
    }

    private Timers.Handle timer(long delayMs, Runnable task) {
      Object mine = new Object();
      timers.add(mine);
      Timers.Handle handle =
          time.later(
              delayMs,
              () -> {
                timers.remove(mine);
                run(task);
              });
      return () -> {
        timers.remove(mine);
        handle.cancel();
      };
    }

    private CompletionStage<?> message(Message message) {
      String of = server.lineOf(message.msgId());
      return handle(() -> ledger.message(of, message));
    }

    private CompletionStage<?> history(History page) {
      return handle(() -> ledger.history(page));
    }

    /** Through after a while, or it fails and has done nothing. */
    private CompletionStage<?> handle(Runnable work) {
      if (ledger.handlersFail() && random.nextInt(3) > 0) {
        if (random.nextBoolean()) {
          if (random.nextBoolean()) {
            throw new NoClassDefFoundError("not now");
          }
          throw new IllegalStateException("not now");
        }
        return CompletableFuture.failedFuture(new IllegalStateException("not now"));
      }
      work.run();
      CompletableFuture<Object> through = new CompletableFuture<>();
      long takes = random.nextInt(30) == 0 ? random.nextInt(20_000) : random.nextInt(3);
      time.later(takes, () -> through.complete(""));
      return through;
    }
  }

  Simulation(long seed) {
    random = new SplittableRandom(seed);
    crashes = random.nextInt(3) == 0;
    store = new SimStore(time, random.split());
    ledger = new Ledger(store);
    server = new SimServer(random.split(), ledger);
    network = new SimNetwork(time, random.split(), server);
    life = new Life();
  }

  void run() {
    life.client.connect();
    time.pass(random.nextInt(3_000));
    for (int i = 0; i < STEPS; i++) {
      step(random.nextInt(35));
      time.pass(random.nextInt(4) == 0 ? random.nextInt(40_000) : random.nextInt(1_500));
    }
    calm();
    checkClosed();
  }

  private void step(int what) {
    switch (what) {
      case 0, 1, 2, 3, 4, 5 -> publish(1 + random.nextInt(4));
      case 6 -> publish(SimServer.MAX_BACKLOG + random.nextInt(20));
      case 7, 8, 9, 10 -> send();
      case 11, 12, 13 -> network.cut();
      case 14, 15 -> network.freeze();
      case 16 -> server.closeAll(4001, "server_restart");
      case 17 -> server.closeAll(4005, "rate_limited retryAfterMs=" + random.nextInt(9_000));
      case 18 -> network.down(random.nextBoolean());
      case 19 -> expire();
      case 20 -> ledger.handlersFail(random.nextBoolean());
      case 21 -> store.fail(random.nextInt(3) == 0);
      case 22 -> crash();
      case 23 -> time.jump(random.nextInt(7_200_000) - 3_600_000L);
      case 24 -> time.sleep(random.nextInt(600_000));
      case 25 -> app(random.nextInt(7));
      case 26 -> life.client.networkAvailable(random.nextBoolean());
      case 27 -> life.client.wake();
      case 28 -> server.trim();
      case 29 -> rare();
      case 30 -> server.refuse(random.nextBoolean());
      default -> event();
    }
  }

  private void rare() {
    switch (random.nextInt(7)) {
      case 0 -> server.loseMailbox();
      case 4, 5 -> server.loseTail();
      case 6 -> store.hang(random.nextBoolean());
      case 1 -> server.closeAll(4410, "kicked");
      case 2 -> server.closeAll(4499, "unknown");
      default -> server.closeAll(1013, "try_again_later");
    }
  }

  private void publish(int count) {
    published += count;
    server.publish(count);
  }

  private void event() {
    for (int i = random.nextInt(4); i >= 0; i--) {
      events++;
      server.publishEvent();
    }
  }

  private void send() {
    for (int i = random.nextInt(4); i >= 0; i--) {
      long number = ++sends;
      ledger.sends(number, life.client.send(To.user("alice"), number));
    }
  }

  private void expire() {
    String old = ledger.validToken();
    ledger.newToken();
    server.expire(old);
  }

  private void app(int what) {
    if (what < 2) {
      life.client.disconnect();
      if (what == 0) {
        checkQuiet();
      }
    } else if (what < 5) {
      life.client.connect();
    } else {
      resubscribe(what == 5);
    }
  }

  /** From where the application stands, whatever waits. */
  private void resubscribe(boolean leavesFirst) {
    String position = ledger.lastEvent();
    if (position != null) {
      if (leavesFirst) {
        life.client.unsubscribe(SimRoom.CHANNEL);
      }
      life.client.subscribe(SimRoom.CHANNEL, position, null);
    }
  }

  private void crash() {
    if (crashes) {
      life.dead = true;
      ledger.crash();
      store.crash();
      network.abandonAll();
      time.pass(random.nextInt(3_000));
      life = new Life();
      life.client.connect();
    }
  }

  /**
   * After the application has closed, no timer is left and nothing is tried, but that a call of the
   * store may take its 5 s.
   */
  private void checkQuiet() {
    time.pass(11_000); // one that is under way, and the last one
    ledger.rethrow();
    if (!life.timers.isEmpty()) {
      ledger.violation(life.timers.size() + " timers are left after close");
    }
  }

  private void calm() {
    network.down(false);
    ledger.handlersFail(false);
    store.fail(false);
    store.hang(false);
    server.refuse(false);
    life.client.networkAvailable(true);
    time.pass(1_000 + random.nextInt(60_000)); // what is under way arrives, a kick too
    if (life.client.state() == State.CLOSED) {
      life.client.connect();
      time.pass(random.nextInt(60_000));
    }
    if (random.nextBoolean()) {
      network.freeze(); // only a heartbeat finds that out
    } else {
      network.cut();
    }
    publish(3);
    time.pass(CALM_MS);
    ledger.rethrow();
    ledger.check(server.epoch(), server.msgIds(), events, life.client.state().name());
  }

  private void checkClosed() {
    life.client.disconnect();
    time.pass(100);
    checkQuiet();
    int tries = network.tries();
    List.of(true, false, true).forEach(life.client::networkAvailable);
    life.client.wake();
    time.pass(CALM_MS);
    checkQuiet();
    if (network.tries() != tries || life.client.state() != State.CLOSED) {
      ledger.violation("it came back after close");
    }
  }

  long published() {
    return published;
  }
}
