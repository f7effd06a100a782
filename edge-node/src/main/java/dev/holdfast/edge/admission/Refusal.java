package dev.holdfast.edge.admission;

import java.util.Locale;

/** Why somebody is turned away; the constant's label counts it. */
public enum Refusal {
  /** The node is being stopped. */
  DRAINING(503),
  /** {@code --max-connections}. */
  NODE_CONNECTIONS(503),
  /** Connections of the node without their welcome. */
  NODE_AWAITING_WELCOME(503),
  /** Sockets of the node that have not said hello. */
  NODE_AWAITING_HELLO(503),
  /** {@code --connect-rate}. */
  NODE_RATE(503),
  /** {@code --max-connections-ip}. */
  IP_CONNECTIONS(429),
  /** Sockets of one address that have not said hello. */
  IP_AWAITING_HELLO(429),
  /** {@code --connect-rate-ip}. */
  IP_RATE(429),
  /** {@code --max-http-sockets-ip}: dropped without an answer. */
  IP_SOCKETS(0),
  /** Ten times {@code --connect-rate-ip} in sockets: dropped without an answer. */
  IP_SOCKET_RATE(0),
  /** {@code --connect-rate-user}: 4005, or 429 where the user is known before the upgrade. */
  USER_RATE(429),
  /** {@code --history-rate}. */
  HISTORY_RATE(429),
  /** {@code --new-recipients}: the send is answered with an error. */
  NEW_RECIPIENTS(0),
  /** {@code --frame-rate} or {@code --byte-rate}: one frame is answered with an error. */
  FRAME_RATE(0),
  /** The same, again and again: 4005. */
  FRAME_FLOOD(0);

  private final int status;

  Refusal(int status) {
    this.status = status;
  }

  /** The HTTP status that says so; 0 where it is not said over HTTP. */
  public int status() {
    return status;
  }

  /** The metric's label, like {@code ip_rate}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
