package dev.holdfast.channel;

import dev.holdfast.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * A channel's name: the namespace's prefix, a colon, and the key in the namespace's topic, as in
 * {@code rooms:lobby}. The key is any text that prints; the topic may be somebody else's, so its
 * keys are not held to the alphabet of users.
 *
 * @param prefix what comes before the first colon
 * @param key the rest; it may have colons of its own
 */
public record ChannelName(String prefix, String key) {
  /** Longest name, in UTF-16 code units. */
  public static final int MAX_LENGTH = 256;

  /** What a name must be, as the rest of a sentence. */
  public static final String RULE =
      "must be <namespace>:<key> with 3-" + MAX_LENGTH + " characters, none a control character";

  /** The two parts of {@code name}; null when it is no channel's name. */
  public static @Nullable ChannelName of(String name) {
    int colon = name.indexOf(':');
    if (colon < 1 || colon == name.length() - 1 || name.length() > MAX_LENGTH) {
      return null;
    }
    for (int i = 0; i < name.length(); i++) {
      if (Character.isISOControl(name.charAt(i))) {
        return null;
      }
    }
    return Utf8.encodable(name)
        ? new ChannelName(name.substring(0, colon), name.substring(colon + 1))
        : null;
  }

  /** The name as clients write it. */
  public String text() {
    return prefix + ':' + key;
  }
}
