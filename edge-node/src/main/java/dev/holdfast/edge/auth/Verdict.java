package dev.holdfast.edge.auth;

/** What came of looking at a token. */
public sealed interface Verdict {
  /** The token is good. */
  record Accepted(Credential credential) implements Verdict {}

  /**
   * The token is bad and will stay so.
   *
   * @param why a sentence for the client; repeats nothing of the token
   */
  record Rejected(String why) implements Verdict {}

  /**
   * It cannot be told now: the keys are not available, or the one that is named may have come up
   * meanwhile.
   */
  record Unavailable(long retryAfterMs) implements Verdict {}
}
