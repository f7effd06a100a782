package dev.holdfast.client.rules;

import java.util.regex.Pattern;

/** The names of protocol.md, section 2, as far as they can be checked before sending. */
public final class Names {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._~@:-]{1,128}");
  private static final int CHANNEL_CHARS = 256;
  private static final int MESSAGE_ID_CHARS = 64;

  private Names() {}

  /** Whether it can name a user or a client. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /**
   * Gives the name back.
   *
   * @param what what it names, for the message
   * @throws IllegalArgumentException when it is no name of a user or client
   */
  public static String check(String what, String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          what + " must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ @ : -, not \"" + name + "\"");
    }
    return name;
  }

  /**
   * Gives the name back.
   *
   * @throws IllegalArgumentException when no server can serve it
   */
  public static String checkChannel(String name) {
    boolean control = name.chars().anyMatch(Character::isISOControl);
    if (name.indexOf(':') < 1 || name.length() > CHANNEL_CHARS || control) {
      throw new IllegalArgumentException(
          "a channel is namespace:key, at most 256 characters, none a control character: \""
              + name
              + "\"");
    }
    return name;
  }

  /**
   * Gives the id back.
   *
   * @throws IllegalArgumentException when it is empty, longer than 64 characters or has U+0000
   */
  public static String checkMessageId(String id) {
    if (id.isEmpty() || id.length() > MESSAGE_ID_CHARS || id.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a clientMsgId has 1 to 64 characters, none U+0000");
    }
    return id;
  }
}
