package dev.holdfast.frame;

import org.jspecify.annotations.Nullable;

/**
 * A frame that cannot be taken; costs its sender an {@code error} frame and nobody else a thing.
 */
public final class BadFrame extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final @Nullable String clientMsgId;

  /**
   * @param message names what was wrong, without repeating what the client sent
   */
  public BadFrame(ErrorCode code, String message, @Nullable String clientMsgId) {
    super(message, null, false, false);
    this.code = code;
    this.clientMsgId = clientMsgId;
  }

  public ErrorCode code() {
    return code;
  }

  /** The message's own text; never null, unlike the super class's. */
  public String text() {
    String text = getMessage();
    return text == null ? code.wire() : text;
  }

  /** The {@code clientMsgId} of the refused frame, where it had a readable one. */
  public @Nullable String clientMsgId() {
    return clientMsgId;
  }
}
