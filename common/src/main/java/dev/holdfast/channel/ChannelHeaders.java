package dev.holdfast.channel;

/** Names of the headers that an edge gives a record of a channel; values are text. */
public final class ChannelHeaders {
  /** The message's id: 22 characters of base64url. Readers drop a repeat of it. */
  public static final String MSG_ID = "holdfast-msg-id";

  /** Who published it. */
  public static final String FROM = "holdfast-from";

  private ChannelHeaders() {}
}
