package dev.holdfast.frame;

import org.jspecify.annotations.Nullable;

/**
 * A frame that cannot be taken; costs its sender an {@code error} frame and nobody else a thing.
 */
public final class BadFrame extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final @Nullable String clientMsgId;
  private final @Nullable String channel;

  /**
   * @param message names what was wrong; what the client sent is repeated only as an excerpt of at
   *     most 64 characters that prints
   */
  public BadFrame(ErrorCode code, String message, @Nullable String clientMsgId) {
    this(code, message, clientMsgId, null);
  }

  /** The same of something meant for a channel. */
  public BadFrame(
      ErrorCode code, String message, @Nullable String clientMsgId, @Nullable String channel) {
    super(message, null, false, false);
    this.code = code;
    this.clientMsgId = clientMsgId;
    this.channel = channel;
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

  /** The channel that was named, where that is why it was refused. */
  public @Nullable String channel() {
    return channel;
  }
}
