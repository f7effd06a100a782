package dev.holdfast.client.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SeenTest {
  @Test
  @DisplayName("R-5.1 the last 1 000 ids, however old")
  void thousand() {
    Seen seen = new Seen();
    for (int i = 0; i < 1_500; i++) {
      seen.add("m" + i, i * Seen.KEEP_MS);
    }
    assertThat(seen.contains("m500")).isTrue();
    assertThat(seen.contains("m499")).isFalse();
    assertThat(seen.newest()).hasSize(1_000).startsWith("m500").endsWith("m1499");
  }

  @Test
  @DisplayName("R-5.1 those of the last 10 min, 10 000 at most")
  void tenMinutes() {
    Seen seen = new Seen();
    for (int i = 0; i < 12_000; i++) {
      seen.add("m" + i, i);
    }
    assertThat(seen.contains("m2000")).isTrue();
    assertThat(seen.contains("m1999")).isFalse();
    seen.add("late", Seen.KEEP_MS + 11_500);
    assertThat(seen.contains("m11499")).isTrue(); // one of the newest 1 000
    assertThat(seen.contains("m10000")).isFalse();
  }
}
