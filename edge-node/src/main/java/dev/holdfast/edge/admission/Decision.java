package dev.holdfast.edge.admission;

import org.jspecify.annotations.Nullable;

/**
 * What became of a handshake.
 *
 * @param refusal why it is refused, or null
 * @param retryAfterS seconds, jittered, when it is refused
 * @param guard what watches the connection, when it is not
 */
public record Decision(@Nullable Refusal refusal, int retryAfterS, ConnectionGuard guard) {

  static Decision refused(Refusal refusal, int retryAfterS) {
    return new Decision(refusal, retryAfterS, ConnectionGuard.NONE);
  }

  static Decision admitted(ConnectionGuard guard) {
    return new Decision(null, 0, guard);
  }
}
