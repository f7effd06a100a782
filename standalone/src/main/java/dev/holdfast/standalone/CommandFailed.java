package dev.holdfast.standalone;

import org.jspecify.annotations.Nullable;

/** The command ends with status 1; the message is for the operator. */
final class CommandFailed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CommandFailed(String message) {
    super(message);
  }

  CommandFailed(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
