package dev.holdfast.frame;

import java.util.Locale;

/** The close codes that a server sends, each with what the client does next (protocol.md). */
public enum CloseCode {
  NORMAL(1000, ClientDoes.RECONNECT),
  GOING_AWAY(1001, ClientDoes.RECONNECT),
  PROTOCOL(1002, ClientDoes.STOP),
  UNSUPPORTED_DATA(1003, ClientDoes.STOP),
  TOO_LARGE(1009, ClientDoes.STOP),
  INTERNAL_ERROR(1011, ClientDoes.RECONNECT),
  /** The edge and the log disagree about this connection; a new one puts it right. */
  SERVICE_RESTART(1012, ClientDoes.RECONNECT),
  TRY_AGAIN_LATER(1013, ClientDoes.RECONNECT),
  SERVER_RESTART(4001, ClientDoes.RECONNECT_SOON),
  REPLACED(4002, ClientDoes.STOP),
  IDLE_TIMEOUT(4003, ClientDoes.RECONNECT),
  SLOW_CONSUMER(4004, ClientDoes.RECONNECT),
  /** Too many frames, or too many connections of one user; the reason says when to come again. */
  RATE_LIMITED(4005, ClientDoes.RECONNECT),
  PROTOCOL_ERROR(4400, ClientDoes.STOP),
  /** The token is missing, bad or expired. */
  UNAUTHORIZED(4401, ClientDoes.NEW_TOKEN),
  /** The token is another user's. */
  FORBIDDEN(4403, ClientDoes.STOP),
  HELLO_TIMEOUT(4408, ClientDoes.RECONNECT),
  /** An operator ended it. */
  KICKED(4410, ClientDoes.STOP);

  /** What a client does when it sees the code. */
  public enum ClientDoes {
    /** Reconnect with backoff and resume. */
    RECONNECT,
    /** Reconnect after about a second, jittered, without the exponential part. */
    RECONNECT_SOON,
    /** Ask the application for a new token once, then reconnect; the second time in a row: stop. */
    NEW_TOKEN,
    /** Stay away until the application asks. */
    STOP
  }

  private final int code;
  private final ClientDoes clientDoes;

  CloseCode(int code, ClientDoes clientDoes) {
    this.code = code;
    this.clientDoes = clientDoes;
  }

  public int code() {
    return code;
  }

  public ClientDoes clientDoes() {
    return clientDoes;
  }

  /** The reason on the wire and the metric's label, like {@code slow_consumer}. */
  public String reason() {
    return name().toLowerCase(Locale.ROOT);
  }
}
