package dev.holdfast.id;

import org.jspecify.annotations.Nullable;

/** The alphabet of user and client names: 1–128 characters of {@code [A-Za-z0-9._~@:-]}. */
public final class Names {
  /** Longest user or client name, in characters (all ASCII, so also in bytes). */
  public static final int MAX_LENGTH = 128;

  private Names() {}

  /** Whether {@code name} may name a user or a client. */
  public static boolean valid(@Nullable String name) {
    if (name == null || name.isEmpty() || name.length() > MAX_LENGTH) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (!allowed(name.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean allowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "._~@:-".indexOf(c) >= 0;
  }
}
