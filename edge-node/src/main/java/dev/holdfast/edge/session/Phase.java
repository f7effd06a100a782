package dev.holdfast.edge.session;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Where one connection is, and since when. Runs under its session's lock. */
final class Phase {
  /** Where the connection is. */
  enum State {
    AWAITING_HELLO,
    AWAITING_WELCOME,
    LIVE,
    ENDED
  }

  private final String connId;
  private final LongSupplier ticker;
  private final long openedMs;
  private State state = State.AWAITING_HELLO;
  private long sinceMs;

  /**
   * @param ticker monotonic milliseconds
   */
  Phase(String connId, LongSupplier ticker) {
    this.connId = connId;
    this.ticker = ticker;
    this.openedMs = ticker.getAsLong();
    this.sinceMs = openedMs;
  }

  boolean is(State asked) {
    return state == asked;
  }

  State state() {
    return state;
  }

  /** When it came to where it is. */
  long sinceMs() {
    return sinceMs;
  }

  void become(State next, @Nullable Who who, String why) {
    sinceMs = ticker.getAsLong();
    SessionLog.became(connId, who, state, next, why, sinceMs - openedMs);
    state = next;
  }
}
