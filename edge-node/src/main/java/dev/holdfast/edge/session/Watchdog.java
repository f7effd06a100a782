package dev.holdfast.edge.session;

import dev.holdfast.edge.session.Phase.State;
import dev.holdfast.frame.CloseCode;
import org.jspecify.annotations.Nullable;

/** One connection's time-outs. Runs under its session's lock. */
final class Watchdog {
  private final Session session;
  private final SessionContext context;
  private final Transport transport;
  private final Passport passport;
  private final Phase phase;
  private final Pulse pulse;

  Watchdog(
      Session session,
      SessionContext context,
      Transport transport,
      Passport passport,
      Phase phase,
      Pulse pulse) {
    this.session = session;
    this.context = context;
    this.transport = transport;
    this.passport = passport;
    this.phase = phase;
    this.pulse = pulse;
  }

  void sweep(long nowMs, @Nullable Who who, @Nullable Downstream downstream) {
    long inStateMs = nowMs - phase.sinceMs();
    switch (phase.state()) {
      case AWAITING_HELLO ->
          session.closeIf(inStateMs > context.limits().helloTimeoutMs(), CloseCode.HELLO_TIMEOUT);
      case AWAITING_WELCOME ->
          session.closeIf(
              inStateMs > context.limits().welcomeTimeoutMs(), CloseCode.TRY_AGAIN_LATER);
      case LIVE -> {
        if (who != null && downstream != null) {
          live(nowMs, who, downstream);
        }
      }
      case ENDED -> {
        if (inStateMs > Session.CLOSE_GRACE_MS) {
          transport.abort();
        }
      }
    }
  }

  private void live(long nowMs, Who who, Downstream downstream) {
    session.closeIf(pulse.idle(nowMs), CloseCode.IDLE_TIMEOUT);
    session.closeIf(downstream.stalled(nowMs), CloseCode.SLOW_CONSUMER);
    passport.sweep();
    if (!who.edge().equals(context.identity().current())) {
      session.closeSpread();
    } else if (phase.is(State.LIVE)) {
      downstream.sweep(nowMs);
      // Dropped, not closed: nobody is there to answer a close.
      if (pulse.dead(nowMs, transport, context.counters())) {
        session.end("heartbeat_timeout");
        transport.abort();
      }
    }
  }
}
