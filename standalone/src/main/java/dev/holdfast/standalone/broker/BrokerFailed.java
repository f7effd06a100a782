package dev.holdfast.standalone.broker;

import org.jspecify.annotations.Nullable;

/** The broker cannot start or go on; the message tells an operator what to do. */
public final class BrokerFailed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public BrokerFailed(String message) {
    super(message);
  }

  public BrokerFailed(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
