package dev.holdfast.client;

import dev.holdfast.client.port.Ended;
import dev.holdfast.client.rules.Backoff;
import dev.holdfast.client.rules.CloseCode;
import java.util.random.RandomGenerator;

/** What an end of a connection or of an attempt means. */
final class Ends {
  private Ends() {}

  static CloseCode.Next next(Ended how) {
    return how.status() != 0 ? CloseCode.ofStatus(how.status()) : CloseCode.next(how.code());
  }

  /** The HTTP status of a refused handshake, or the close code. */
  static int code(Ended how) {
    return how.status() != 0 ? how.status() : how.code();
  }

  /** A name for it, as states and telemetry tell it. */
  static String reason(Ended how) {
    if (how.status() == 401) {
      return CloseCode.UNAUTHORIZED.reason();
    }
    if (how.status() != 0) {
      return "http_" + how.status();
    }
    return CloseCode.of(how.code()).map(CloseCode::reason).orElse(how.reason());
  }

  /** What the server asked for; -1 where it asked for nothing. */
  static long askedMs(Ended how) {
    return CloseCode.retryAfterMs(how.code(), how.reason())
        .orElse(Math.max(-1, how.retryAfterMs()));
  }

  /** By backoff, or what the server asked for, in ms. */
  static long delayMs(Ended how, Backoff backoff, int failures, RandomGenerator random) {
    long planned = backoff.delayMs(failures, random);
    long asked = askedMs(how);
    if (asked < 0) {
      return planned;
    }
    long heeded = Backoff.askedMs(asked, random);
    return how.status() == 0 ? heeded : Math.max(planned, heeded);
  }
}
