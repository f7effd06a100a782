package dev.holdfast.client.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SeenTest {
  @Test
  @DisplayName("R-5.1 the last 1 000 ids; one that comes again is new again")
  void thousand() {
    Seen seen = new Seen();
    for (int i = 0; i < 1_000; i++) {
      seen.add("m" + i);
    }
    seen.add("m0");
    seen.add("m1000");
    assertThat(seen.contains("m0")).isTrue();
    assertThat(seen.contains("m1")).isFalse();
    assertThat(seen.all()).hasSize(1_000).startsWith("m2").endsWith("m0", "m1000");
  }
}
