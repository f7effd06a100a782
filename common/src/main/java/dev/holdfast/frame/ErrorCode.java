package dev.holdfast.frame;

import java.util.Locale;

/** The codes of {@code error} frames, and whether sending the same again may succeed. */
public enum ErrorCode {
  /** A field is missing, of the wrong type or out of its range. */
  BAD_FRAME(false),
  UNKNOWN_TYPE(false),
  /** The frame's type is part of the protocol, but this server does not serve it. */
  UNSUPPORTED(false),
  PAYLOAD_TOO_LARGE(false),
  /** An acknowledgement beyond what this connection was sent. */
  ACK_BEYOND_SENT(false),
  /** The node cannot take more for now: its queue towards Kafka is full. */
  OVERLOADED(true),
  /** The connection sends more than it may. */
  RATE_LIMITED(true),
  /** An earlier {@code send} of this connection was refused and has not come again. */
  OUT_OF_ORDER(true),
  /** Kafka refused the record. */
  NOT_STORED(true),
  /** No namespace of this server serves the channel. */
  NO_SUCH_CHANNEL(false),
  /** More channels or users than one connection may name. */
  TOO_MANY(false),
  /** The channel cannot be served for now; a subscription to it is over. */
  UNAVAILABLE(true),
  /** The token does not allow it. */
  FORBIDDEN(false),
  /** The token is missing, bad or expired; the connection closes with 4401. */
  UNAUTHORIZED(false),
  /**
   * Not about a frame: the connection closes with 4401 soon unless {@code auth} renews its token.
   */
  TOKEN_EXPIRING(false),
  /** The keys that tokens are checked with are not available; the old token still holds. */
  KEYS_UNAVAILABLE(true),
  /** What the socket carries is not a JSON object; the connection closes with 4400. */
  INVALID_JSON(false),
  /** {@code hello} is missing or came twice; the connection closes with 4400. */
  HELLO_EXPECTED(false);

  private final boolean retryable;

  ErrorCode(boolean retryable) {
    this.retryable = retryable;
  }

  public boolean retryable() {
    return retryable;
  }

  /** The code on the wire, like {@code out_of_order}. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
