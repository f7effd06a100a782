package dev.holdfast.client.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.rules.Backoff.Jitter;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final Backoff WEB = Backoff.of(1_000, 30_000);

  private static RandomGenerator always(double chance) {
    return new RandomGenerator() {
      @Override
      public long nextLong() {
        return 0;
      }

      @Override
      public double nextDouble() {
        return chance;
      }
    };
  }

  @Test
  @DisplayName("R-2.1 doubles up to the cap, however many failures there were")
  void grows() {
    long[] expected = {1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000};
    for (int i = 0; i < expected.length; i++) {
      assertThat(WEB.delayMs(i, always(1))).isEqualTo(expected[i]);
    }
    assertThat(WEB.delayMs(Integer.MAX_VALUE, always(1))).isEqualTo(30_000);
  }

  @Test
  @DisplayName("R-2.2 each jitter keeps to its range, and draws afresh")
  void jitters() {
    range(Jitter.FULL, 350, 8_000);
    range(Jitter.EQUAL, 4_000, 8_000);
    range(Jitter.RATIO, 5_600, 10_400);
    range(Jitter.DECORRELATED, 8_000, 9_000);
    Set<Long> drawn = new HashSet<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100; i++) {
      drawn.add(WEB.delayMs(3, random));
    }
    assertThat(drawn).hasSizeGreaterThan(90);
  }

  private static void range(Jitter jitter, long least, long most) {
    Backoff backoff = WEB.withJitter(jitter);
    assertThat(backoff.delayMs(3, always(0))).isEqualTo(Math.max(200, least == 350 ? 0 : least));
    assertThat(backoff.delayMs(3, always(1))).isEqualTo(most);
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 1_000; i++) {
      assertThat(backoff.delayMs(3, random)).isBetween(Math.min(200, least), most);
    }
  }

  @Test
  @DisplayName("R-2.2 a cap holds for a decorrelated delay too")
  void capped() {
    assertThat(WEB.withJitter(Jitter.DECORRELATED).delayMs(20, always(1))).isEqualTo(30_000);
  }

  @Test
  @DisplayName(
      "R-2.4 never sooner than 200 to 500 ms; R-2.5 a restart: a second, half more or less")
  void least() {
    assertThat(Backoff.minMs(always(0))).isEqualTo(200);
    assertThat(Backoff.minMs(always(1))).isEqualTo(500);
    assertThat(WEB.delayMs(0, always(0))).isEqualTo(200);
    assertThat(Backoff.soonMs(always(0))).isEqualTo(500);
    assertThat(Backoff.soonMs(always(1))).isEqualTo(1_500);
    assertThat(Backoff.askedMs(5_000, always(1))).isEqualTo(6_000);
    assertThat(Backoff.askedMs(60_000, always(1))).isEqualTo(66_000);
    assertThat(Backoff.askedMs(60_000, always(0))).isEqualTo(60_000);
  }

  @Test
  @DisplayName("values that make no sense are refused with the values")
  void refused() {
    assertThatThrownBy(() -> Backoff.of(0, 10)).hasMessageContaining("base 0");
    assertThatThrownBy(() -> Backoff.of(20, 10)).hasMessageContaining("cap 10");
    assertThatThrownBy(() -> new Backoff(1, 2, 0.5, Jitter.FULL, 0)).hasMessageContaining("0.5");
  }
}
