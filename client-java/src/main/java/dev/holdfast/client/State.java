package dev.holdfast.client;

import java.util.Locale;

/** Where a client is. */
public enum State {
  /** Never asked to connect. */
  IDLE,
  /** From an attempt to its {@code welcome}. */
  CONNECTING,
  ONLINE,
  /** Waits for the next attempt: the only state with a timer that leads to one. */
  BACKOFF,
  /** Waits for a network, or after too many failures, for the application. */
  OFFLINE_WAIT,
  /** Closed by the application, or by an end that is final. */
  CLOSED;

  /** As telemetry names it, like {@code offline-wait}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
