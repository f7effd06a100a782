package dev.holdfast.client.rules;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Close codes and refused handshakes, each with what the client does next (protocol.md, section
 * 11).
 */
public enum CloseCode {
  NORMAL(1000, Next.RECONNECT),
  GOING_AWAY(1001, Next.RECONNECT),
  PROTOCOL(1002, Next.STOP),
  UNSUPPORTED_DATA(1003, Next.STOP),
  TOO_LARGE(1009, Next.STOP),
  INTERNAL_ERROR(1011, Next.RECONNECT),
  SERVICE_RESTART(1012, Next.RECONNECT),
  TRY_AGAIN_LATER(1013, Next.RECONNECT),
  SERVER_RESTART(4001, Next.RECONNECT_SOON),
  REPLACED(4002, Next.STOP),
  IDLE_TIMEOUT(4003, Next.RECONNECT),
  SLOW_CONSUMER(4004, Next.RECONNECT),
  RATE_LIMITED(4005, Next.RECONNECT),
  PROTOCOL_ERROR(4400, Next.STOP),
  UNAUTHORIZED(4401, Next.NEW_TOKEN),
  FORBIDDEN(4403, Next.STOP),
  HELLO_TIMEOUT(4408, Next.RECONNECT),
  KICKED(4410, Next.STOP);

  /** What a client does after an end. */
  public enum Next {
    /** With backoff. */
    RECONNECT,
    /** After about a second, without the exponential part. */
    RECONNECT_SOON,
    /** Ask for a new token once. */
    NEW_TOKEN,
    /** Stay away until the application asks. */
    STOP
  }

  /** A connection that ended without a close frame; made here, never sent. */
  public static final int ABNORMAL = 1006;

  /** With what a client leaves a connection that is dead or has a hole. */
  public static final int LEFT = 4000;

  /** More than an hour is nothing that a server means. */
  private static final long MOST_RETRY_MS = 3_600_000;

  private static final Pattern RETRY_AFTER = Pattern.compile("retryAfterMs=(\\d{1,12})$");

  private final int code;
  private final Next next;

  CloseCode(int code, Next next) {
    this.code = code;
    this.next = next;
  }

  public int code() {
    return code;
  }

  public Next next() {
    return next;
  }

  /** As the server names it, like {@code slow_consumer}. */
  public String reason() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The constant of a code; empty for one that protocol.md does not list. */
  public static Optional<CloseCode> of(int code) {
    for (CloseCode candidate : values()) {
      if (candidate.code == code) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  /** What to do after any code, also unknown ones. */
  public static Next next(int code) {
    Optional<CloseCode> known = of(code);
    if (known.isPresent()) {
      return known.get().next;
    }
    boolean stop = code == 1007 || code == 1008 || code == 1010 || (code >= 4400 && code <= 4499);
    return stop ? Next.STOP : Next.RECONNECT;
  }

  /** What to do after a handshake that was refused with an HTTP status. */
  public static Next ofStatus(int status) {
    return switch (status) {
      case 401 -> Next.NEW_TOKEN;
      case 400, 403, 426 -> Next.STOP;
      default -> Next.RECONNECT;
    };
  }

  /** The wait that a {@code rate_limited} close asks for, in ms. */
  public static OptionalLong retryAfterMs(int code, String reason) {
    Matcher matcher = RETRY_AFTER.matcher(reason);
    if (code != RATE_LIMITED.code || !matcher.find()) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(Math.min(MOST_RETRY_MS, Long.parseLong(matcher.group(1))));
  }
}
