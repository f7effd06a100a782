package dev.holdfast.edge.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SendGateTest {
  @Test
  void aRefusedSendIsNotOvertaken() {
    SendGate gate = new SendGate();
    assertThat(gate.admits("1")).isTrue();
    gate.refused("1");
    assertThat(gate.admits("2")).isFalse();
    assertThat(gate.admits("1")).isTrue();
    gate.refused("1");
    assertThat(gate.admits("2")).isFalse();
    gate.accepted("1");
    assertThat(gate.admits("2")).isTrue();
    assertThat(gate.shut()).isFalse();
  }

  @Test
  void severalThatKafkaRefusedMustAllComeAgain() {
    SendGate gate = new SendGate();
    gate.refused("1");
    gate.refused("2");
    gate.accepted("2");
    assertThat(gate.admits("3")).isFalse();
    gate.accepted("1");
    assertThat(gate.admits("3")).isTrue();
  }

  /** A client that sends on and repeats what was refused, in its order, is stored in its order. */
  @Property
  void aPipeliningClientIsStoredInOrder(
      @ForAll @IntRange(min = 1, max = 60) int messages,
      @ForAll @DoubleRange(max = 0.9) double refusalRate,
      @ForAll long seed) {
    SendGate gate = new SendGate();
    Random random = new Random(seed);
    List<Integer> stored = new ArrayList<>();
    Map<Integer, Boolean> done = new HashMap<>();
    while (done.size() < messages) {
      for (int i = 0; i < messages; i++) {
        String id = Integer.toString(i);
        if (done.containsKey(i) || !gate.admits(id)) {
          continue;
        }
        if (random.nextDouble() < refusalRate) {
          gate.refused(id);
        } else {
          gate.accepted(id);
          stored.add(i);
          done.put(i, true);
        }
      }
    }
    assertThat(stored).isSorted();
  }
}
