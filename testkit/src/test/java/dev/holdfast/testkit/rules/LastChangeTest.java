package dev.holdfast.testkit.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.rules.LastChange;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.testkit.sim.MemoryRows;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class LastChangeTest {
  @Test
  void noRowsNameNothing() {
    assertThat(LastChange.offset(new MemoryRows())).isEqualTo(-1);
  }

  @Test
  void anIdentityThatEndsLikeAMailboxsKeyIsNone() {
    MemoryRows rows = new MemoryRows();
    byte[] hash = new byte[16];
    hash[15] = 'z';
    rows.put(Keys.identity("bob", hash), "no mailbox at all".getBytes(StandardCharsets.UTF_8));
    Arrays.fill(hash, (byte) 'z');
    rows.put(Keys.identity("bob", hash), new byte[] {-1, -1, -1});
    assertThat(LastChange.offset(rows)).isEqualTo(-1);
  }
}
