package dev.holdfast.client;

import dev.holdfast.client.port.Ended;
import dev.holdfast.client.rules.Backoff;
import dev.holdfast.client.rules.CloseCode;
import org.jspecify.annotations.Nullable;

/**
 * The states of docs/clients.md. What the application wants is kept apart from what the connection
 * is; {@link #become} alone changes the state; a new connection is begun by {@link #attempt} alone,
 * which only a timer of {@link State#BACKOFF}, the application, and a refused token lead to. Used
 * on the loop; {@link #state} by anybody.
 */
final class Machine {
  private static final long PROBE_MS = 3_000;

  private final Core core;
  private final Alarm backoff;
  private final Alarm connecting;
  private final ClockWatch watch;
  private volatile State state = State.IDLE;
  private boolean wanted;
  private boolean network = true;
  private int failures;
  private int inARow;
  private int tries;
  private int generation;
  private boolean askedAgain;
  private @Nullable Link link;
  private long onlineTick;
  private long attemptTick;
  private long endedTick = -1;
  private long notBefore = Long.MIN_VALUE / 2;

  Machine(Core core) {
    this.core = core;
    this.backoff = new Alarm(core.env());
    this.connecting = new Alarm(core.env());
    this.watch = new ClockWatch(core.env(), () -> wake("clock"));
  }

  private Options options() {
    return core.options();
  }

  State state() {
    return state;
  }

  /** Whether the application wants to be connected. */
  boolean wanted() {
    return wanted;
  }

  int failures() {
    return failures;
  }

  @Nullable String connId() {
    return link == null ? null : link.connId();
  }

  /** The connection that got its welcome; null while there is none. */
  @Nullable Link online() {
    return state == State.ONLINE ? link : null;
  }

  boolean isCurrent(Link candidate) {
    return link == candidate;
  }

  // ---- what the application and the platform tell

  void connect() {
    boolean was = wanted;
    wanted = true;
    if (state == State.IDLE || state == State.CLOSED) {
      failures = 0;
      inARow = 0;
      tries = 0;
      askedAgain = false;
      core.opened();
      if (network) {
        attempt("connect");
      } else {
        become(State.OFFLINE_WAIT, "no_network", false);
      }
    } else if (was) {
      kick("connect");
    }
  }

  void close() {
    wanted = false;
    leave(CloseCode.NORMAL.code(), CloseCode.NORMAL.reason());
    if (state != State.CLOSED) {
      become(State.CLOSED, "closed", false);
    }
    core.closed();
  }

  void network(boolean there) {
    network = there;
    if (there || state == State.ONLINE) {
      wake("network"); // also when it went: a connection over another one may live on
    } else if (state == State.BACKOFF) {
      become(State.OFFLINE_WAIT, "no_network", false);
    }
  }

  /** Something suggests that a connection may be dead, or could be had now. */
  void wake(String why) {
    Link current = online();
    if (current != null) {
      current.probe(PROBE_MS);
    } else if (network) {
      kick(why);
    }
  }

  /**
   * Comes back soon, though not at once: whole buildings get their network back together. An
   * attempt that runs goes on, as the first one.
   */
  private void kick(String why) {
    if (state != State.BACKOFF && state != State.OFFLINE_WAIT && state != State.CONNECTING) {
      return;
    }
    failures = 0;
    inARow = 0;
    if (state != State.CONNECTING) {
      long asked = notBefore - core.env().tick();
      await(Math.max(asked, Backoff.minMs(core.env().random())), why);
    }
  }

  // ---- what connections tell

  void welcomed(Link now) {
    inARow = 0;
    askedAgain = false;
    onlineTick = core.env().tick();
    become(State.ONLINE, "welcome", false);
    core.counters().connects.increment();
    if (endedTick >= 0) {
      core.counters().back(tries, onlineTick - endedTick);
    }
    tries = 0;
    core.telemetry("connected").lasted(onlineTick - attemptTick).tell();
  }

  /** The backlog is through. */
  void synced() {
    long since = core.env().tick() - (endedTick >= 0 ? endedTick : attemptTick);
    if (endedTick >= 0) {
      core.counters().recovered(since);
      endedTick = -1;
    }
    core.telemetry("synced").lasted(since).tell();
  }

  /** This side gives a connection up: it is dead, or cannot be gone on with. */
  void abandon(Link now, int code, String reason) {
    if (link == now) {
      now.leave(code, reason);
      ended(now, Ended.closed(code, reason));
    }
  }

  /** A connection, or an attempt, is over; told once for each. */
  void ended(Link now, Ended how) {
    if (link != now) {
      return;
    }
    boolean was = state == State.ONLINE;
    long tick = core.env().tick();
    if (was && tick - onlineTick >= options().stableMs()) {
      failures = 0;
    }
    inARow = was ? 0 : inARow + 1;
    endedTick = was || endedTick < 0 ? tick : endedTick;
    core.counters().closed(how.code());
    core.telemetry("closed")
        .code(Ends.code(how))
        .reason(how.reason())
        .lasted(tick - (was ? onlineTick : attemptTick))
        .tell();
    link = null;
    core.disconnected();
    switch (Ends.next(how)) {
      case STOP -> stop(how);
      case NEW_TOKEN -> newToken(how);
      case RECONNECT_SOON -> retry(Backoff.soonMs(core.env().random()), how);
      case RECONNECT -> {
        long delayMs = Ends.delayMs(how, options().backoff(), failures++, core.env().random());
        notBefore = Ends.askedMs(how) < 0 ? notBefore : core.env().tick() + delayMs;
        retry(delayMs, how);
      }
    }
  }

  private void retry(long delayMs, Ended how) {
    String why = Ends.reason(how);
    if (!network) {
      become(State.OFFLINE_WAIT, "no_network", false);
    } else if (inARow >= options().maxAttempts()) {
      become(State.OFFLINE_WAIT, "gave_up", false);
      core.telemetry("gave_up").reason(why).tell();
    } else {
      await(delayMs, why);
    }
  }

  /** Once, at once; by backoff where connections end again and again. */
  private void newToken(Ended how) {
    if (options().tokenFunction() == null || askedAgain) {
      stop(how);
      return;
    }
    askedAgain = true;
    boolean atOnce = failures < 2;
    long delayMs = options().backoff().delayMs(failures, core.env().random());
    failures++;
    if (atOnce) {
      attempt("new token");
    } else {
      retry(delayMs, how);
    }
  }

  private void stop(Ended how) {
    wanted = false;
    String why = Ends.reason(how);
    become(State.CLOSED, why, true);
    core.telemetry("final").code(Ends.code(how)).reason(why).tell();
    core.closed();
  }

  /** An end that no close code stands for: the token is another user's. */
  void refuse(Link now, String reason) {
    if (link == now) {
      leave(CloseCode.NORMAL.code(), reason);
      stop(new Ended(CloseCode.FORBIDDEN.code(), reason, 0, -1));
    }
  }

  // ---- the only ways on

  private void await(long delayMs, String why) {
    become(State.BACKOFF, why, false);
    backoff.set(delayMs, () -> attempt("timer"));
    core.telemetry("backoff").delay(delayMs).reason(why).tell();
  }

  private void attempt(String why) {
    become(State.CONNECTING, why, false);
    attemptTick = core.env().tick();
    tries++;
    core.counters().attempts.increment();
    core.telemetry("attempt").reason(why).tell();
    Link next = new Link(core, ++generation);
    link = next;
    connecting.set(options().connectTimeoutMs(), () -> tooSlow(next));
    next.start();
  }

  private void tooSlow(Link now) {
    now.abort();
    ended(now, Ended.broken("connect_timeout"));
  }

  private void leave(int code, String reason) {
    Link current = link;
    link = null;
    if (current != null) {
      current.leave(code, reason);
      core.counters().closed(code);
      endedTick = -1;
      core.disconnected();
    }
  }

  /** The one place where the state changes. Timers belong to states and end with them. */
  private void become(State next, String why, boolean isFinal) {
    State before = state;
    backoff.cancel();
    connecting.cancel();
    watch.stop();
    state = next;
    if (next == State.ONLINE || next == State.BACKOFF) {
      watch.start();
    }
    if (next != before) {
      core.telemetry("state").reason(why).tell();
      core.tell("state", core.handlers().state, new StateChange(next, before, why, isFinal));
    }
  }
}
