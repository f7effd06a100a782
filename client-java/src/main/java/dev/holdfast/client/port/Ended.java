package dev.holdfast.client.port;

/**
 * How a connection, or the attempt to make one, ended.
 *
 * @param code the close code; 1006 where no close frame came
 * @param reason the close frame's text, or what went wrong; for people
 * @param status the HTTP status of a refused handshake; 0 where there was none
 * @param retryAfterMs what {@code Retry-After} asked for; -1 where it asked for nothing
 */
public record Ended(int code, String reason, int status, long retryAfterMs) {
  public static Ended closed(int code, String reason) {
    return new Ended(code, reason, 0, -1);
  }

  public static Ended broken(String reason) {
    return closed(1006, reason);
  }
}
