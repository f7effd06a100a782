package dev.holdfast.delivery.replay;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where a range begins or ends. */
public sealed interface Point {
  /** An offset of one partition. */
  record Offset(long offset) implements Point {}

  /** A time, milliseconds since 1970: the first record of this time or later. */
  record Time(long ms) implements Point {}

  Pattern AGO = Pattern.compile("-([0-9]{1,9})([smhd])");
  Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /**
   * Reads an offset, a time with its zone in ISO 8601, or a time before now, like {@code -10m}.
   *
   * @param option whose value it is, for the refusal
   * @param nowMs milliseconds since 1970
   * @throws IllegalArgumentException for anything else
   */
  static Point parse(String option, String text, long nowMs) {
    if (NUMBER.matcher(text).matches()) {
      return new Offset(Long.parseLong(text));
    }
    Matcher ago = AGO.matcher(text);
    if (ago.matches()) {
      long count = Long.parseLong(ago.group(1));
      Duration before =
          switch (ago.group(2)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
          };
      return new Time(Math.max(0, nowMs - before.toMillis()));
    }
    try {
      return new Time(Math.max(0, OffsetDateTime.parse(text).toInstant().toEpochMilli()));
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException(
          option
              + " must be an offset, a time with its zone like 2026-11-30T12:00:00Z, or a time"
              + " before now like -30s, -10m, -2h or -1d, not '"
              + text
              + "'",
          e);
    }
  }

  /**
   * Refuses a range that can hold nothing.
   *
   * @param to its end; null: what there is now
   * @param nowMs milliseconds since 1970
   * @throws IllegalArgumentException when it begins in the future, or not before it ends
   */
  static void checkOrder(Point from, @Nullable Point to, long nowMs) {
    if (from instanceof Time time && time.ms() > nowMs) {
      throw new IllegalArgumentException(
          "--from is in the future; it is " + Instant.ofEpochMilli(nowMs) + " now");
    }
    boolean times = from instanceof Time a && to instanceof Time b && a.ms() >= b.ms();
    boolean offsets =
        from instanceof Offset c && to instanceof Offset d && c.offset() >= d.offset();
    if (times || offsets) {
      throw new IllegalArgumentException("--from must be before --to");
    }
  }
}
