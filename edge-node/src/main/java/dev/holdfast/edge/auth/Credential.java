package dev.holdfast.edge.auth;

/**
 * What a valid token says.
 *
 * @param user the token's {@code sub}, a valid name
 * @param endsMs when it is over, leeway included; milliseconds since 1970
 * @param grants what it allows
 */
public record Credential(String user, long endsMs, Grants grants) {
  /** Longest notice before the end, in milliseconds. */
  static final long NOTICE_MS = 60_000;

  /**
   * When the client is to be told that the end is near: 60 s before it, or after four fifths of
   * what was left where that is less.
   *
   * @param nowMs when the token came; milliseconds since 1970
   */
  public long noticeMs(long nowMs) {
    return endsMs - Math.min(NOTICE_MS, Math.max(0, endsMs - nowMs) / 5);
  }
}
