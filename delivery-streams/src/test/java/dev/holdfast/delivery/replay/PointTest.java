package dev.holdfast.delivery.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PointTest {
  private static final long NOW = Instant.parse("2026-11-30T12:00:00Z").toEpochMilli();

  @ParameterizedTest
  @CsvSource({
    "-30s, 2026-11-30T11:59:30Z",
    "-10m, 2026-11-30T11:50:00Z",
    "-2h, 2026-11-30T10:00:00Z",
    "-1d, 2026-11-29T12:00:00Z",
    "2026-11-30T12:00Z, 2026-11-30T12:00:00Z",
    "2026-11-30T12:00:00.5+01:00, 2026-11-30T11:00:00.500Z"
  })
  void timesAreAbsoluteOrBeforeNow(String text, Instant meant) {
    assertThat(Point.parse("--from", text, NOW)).isEqualTo(new Point.Time(meant.toEpochMilli()));
  }

  @Test
  void digitsAreAnOffset() {
    assertThat(Point.parse("--from", "0", NOW)).isEqualTo(new Point.Offset(0));
    assertThat(Point.parse("--from", "123456789012345678", NOW))
        .isEqualTo(new Point.Offset(123456789012345678L));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "-10",
        "10m",
        "-1w",
        "now",
        "2026-11-30",
        "2026-11-30T12:00:00",
        "+999999999-12-31T23:59:59Z",
        "1234567890123456789"
      })
  void whatIsNoPointIsRefusedByItsOption(String text) {
    assertThatThrownBy(() -> Point.parse("--to", text, NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--to must be an offset");
  }

  @ParameterizedTest
  @CsvSource({"-1h, -2h, before", "-1h, -1h, before", "5, 4, before", "5, 5, before"})
  void aRangeThatHoldsNothingIsRefused(String from, String to, String why) {
    assertThatThrownBy(
            () ->
                Point.checkOrder(
                    Point.parse("--from", from, NOW), Point.parse("--to", to, NOW), NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void aRangeMayNotBeginInTheFutureAndMayEndThere() {
    assertThatThrownBy(() -> Point.checkOrder(new Point.Time(NOW + 1), null, NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in the future");
    Point.checkOrder(new Point.Time(NOW), new Point.Time(NOW + 9), NOW);
    Point.checkOrder(new Point.Offset(4), new Point.Time(0), NOW);
  }

  @Test
  void theWindowEndsEarlierForProducersTimesAndNeverByMoreThanAQuarter() {
    long day = Duration.ofDays(1).toMillis();
    long minute = Duration.ofMinutes(1).toMillis();

    assertThat(Age.oldest(NOW, day, false)).isEqualTo(NOW - day + 10 * minute);
    assertThat(Age.oldest(NOW, day, true)).isEqualTo(NOW - day + 70 * minute);
    assertThat(Age.oldest(NOW, 12 * minute, true)).isEqualTo(NOW - 9 * minute);
  }
}
