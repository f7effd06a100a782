package dev.holdfast.edge.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KnownRecipientsTest {
  private final KnownRecipients known = new KnownRecipients();

  @Test
  void knowsWhomItWasToldAndNobodyElse() {
    assertThat(known.has("a")).isFalse();
    for (int i = 0; i < 500; i++) {
      known.add("user-" + i);
      known.add("user-" + i);
    }
    for (int i = 0; i < 500; i++) {
      assertThat(known.has("user-" + i)).isTrue();
      assertThat(known.has("other-" + i)).isFalse();
    }
  }

  @Test
  void forgetsAllRatherThanGrowWithoutEnd() {
    for (int i = 0; i < 100_000; i++) {
      known.add("user-" + i);
      assertThat(known.has("user-" + i)).isTrue();
    }
    assertThat(known.has("user-0")).isFalse();
  }
}
