package dev.holdfast.client;

/**
 * Whether a watched user is there.
 *
 * @param status {@code online} or {@code offline}
 * @param since when that began, milliseconds since 1970; 0 where there is nothing to tell
 * @param lastSeen when a connection of the user last ended, milliseconds since 1970; 0 likewise
 */
public record Presence(String user, String status, long since, long lastSeen) {
  public boolean online() {
    return status.equals("online");
  }
}
