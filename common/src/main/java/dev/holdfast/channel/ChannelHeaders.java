package dev.holdfast.channel;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of the headers that Holdfast gives a record of a channel; values are text. */
public final class ChannelHeaders {
  /** The message's id: 22 characters of base64url. Readers drop a repeat of it. */
  public static final String MSG_ID = "holdfast-msg-id";

  /** Who published it. */
  public static final String FROM = "holdfast-from";

  /** That it is a copy which {@code holdfast replay} made, and of what. */
  public static final String REPLAY = "holdfast-replay";

  /** Offsets of a partition within which edges know a repeat by its message's id. */
  public static final int REPEAT_RECORDS = 10_000;

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{22}");

  private ChannelHeaders() {}

  /** The message's id, where the value of its header is one; otherwise null. */
  public static @Nullable String msgId(byte @Nullable [] value) {
    String text = value == null ? null : new String(value, StandardCharsets.UTF_8);
    return text != null && ID.matcher(text).matches() ? text : null;
  }
}
