package dev.holdfast.delivery.source;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.OptionalLong;

/**
 * Where a source begins that has no position yet.
 *
 * @param earliest at the oldest record that is kept
 * @param timeMs at the first record of this time, milliseconds since 1970; absent, and not the
 *     earliest either: behind the newest
 */
public record Start(boolean earliest, OptionalLong timeMs) {
  public static final Start LATEST = new Start(false, OptionalLong.empty());
  public static final Start EARLIEST = new Start(true, OptionalLong.empty());

  /**
   * {@code latest}, {@code earliest} or a time like {@code 2026-11-30T12:00:00Z}.
   *
   * @throws IllegalArgumentException for anything else
   */
  static Start parse(String text) {
    if (text.equals("latest")) {
      return LATEST;
    }
    if (text.equals("earliest")) {
      return EARLIEST;
    }
    try {
      return new Start(false, OptionalLong.of(Instant.parse(text).toEpochMilli()));
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "start must be latest, earliest or a time like 2026-11-30T12:00:00Z, not '" + text + "'",
          e);
    }
  }

  @Override
  public String toString() {
    if (timeMs.isPresent()) {
      return Instant.ofEpochMilli(timeMs.getAsLong()).toString();
    }
    return earliest ? "earliest" : "latest";
  }
}
