package dev.holdfast.client;

import dev.holdfast.client.rules.CloseCode;
import dev.holdfast.client.rules.Frames;

/**
 * Keeps one connection alive and finds out when it is dead. A {@code ping} goes
 * out when nothing was sent, or nothing came, for an interval; one is out at a time, and any frame
 * answers it. Used on the loop only.
 */
final class Pulse {
  /** A timer that is later than this tells of this machine, not of the connection. */
  private static final long GRACE_MS = 1_000;

  private final Core core;
  private final Link link;
  private final Alarm next;
  private final Alarm limit;
  private long intervalMs;
  private long timeoutMs;
  private long sentTick;
  private long receivedTick;
  private int misses;
  private boolean running;

  Pulse(Core core, Link link) {
    this.core = core;
    this.link = link;
    this.next = new Alarm(core.env());
    this.limit = new Alarm(core.env());
  }

  void start(long interval, long timeout) {
    intervalMs = Math.min(interval, core.options().heartbeatMs());
    timeoutMs = timeout;
    running = true;
    schedule();
  }

  void stop() {
    running = false;
    next.cancel();
    limit.cancel();
  }

  void sent() {
    sentTick = core.env().tick();
  }

  void received() {
    receivedTick = core.env().tick();
    misses = 0;
    if (limit.isSet()) {
      limit.cancel();
      schedule();
    }
  }

  private void schedule() {
    if (running) {
      next.set(Math.max(0, dueIn()), this::due);
    }
  }

  private long dueIn() {
    return Math.min(sentTick, receivedTick) + intervalMs - core.env().tick();
  }

  private void due() {
    if (dueIn() > 0) {
      schedule();
    } else {
      ping(timeoutMs, this::missed);
    }
  }

  private void ping(long withinMs, Runnable nothingCame) {
    core.counters().pings.increment();
    link.send(Frames.PING);
    limit.set(withinMs, nothingCame);
  }

  private void missed() {
    if (limit.lateMs() > GRACE_MS) {
      ping(timeoutMs, this::missed); // the answer may lie unread
      return;
    }
    core.counters().misses.increment();
    misses++;
    if (misses >= core.options().misses()) {
      dead();
    } else {
      ping(timeoutMs, this::missed);
    }
  }

  /** Asks now, with a limit of its own. */
  void probe(long withinMs) {
    if (running) {
      core.telemetry("probe").delay(withinMs).tell();
      next.cancel();
      ping(withinMs, () -> unanswered(withinMs));
    }
  }

  private void unanswered(long withinMs) {
    if (limit.lateMs() > GRACE_MS) {
      ping(withinMs, () -> unanswered(withinMs));
    } else {
      core.counters().misses.increment();
      dead();
    }
  }

  private void dead() {
    core.telemetry("heartbeat_timeout").lasted(core.env().tick() - receivedTick).tell();
    core.machine().abandon(link, CloseCode.LEFT, "heartbeat_timeout");
  }
}
