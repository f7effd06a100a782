package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SpinTest {
  private static final long MS = 1_000_000;

  private double reads;
  private final Spin spin = new Spin(() -> reads, 0);

  @Test
  @DisplayName("reads without end and without records are found within 50 ms")
  void found() {
    for (int ms = 1; ms < 50; ms++) {
      reads += 4;
      assertThat(spin.found(0, ms * MS)).isFalse();
    }
    assertThat(spin.found(0, 50 * MS)).isTrue();
    assertThat(spin.calm(51 * MS)).isTrue();
    assertThat(spin.calm(1_051 * MS)).isFalse();
    spin.over(51 * MS);
    assertThat(spin.calm(52 * MS)).isFalse();
  }

  @Test
  @DisplayName("neither an idle consumer nor a busy one spins")
  void usual() {
    for (int turn = 1; turn < 100; turn++) {
      reads += 3;
      assertThat(spin.found(0, turn * 50L * MS)).isFalse();
    }
    for (int turn = 100; turn < 200; turn++) {
      reads += 1_000;
      assertThat(spin.found(1_000, turn * 50L * MS)).isFalse();
    }
  }
}
