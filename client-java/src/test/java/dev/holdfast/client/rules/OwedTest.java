package dev.holdfast.client.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.rules.Owed.Range;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OwedTest {
  @Test
  @DisplayName("neighbours and overlaps are joined, what was handed over in between is not owed")
  void joins() {
    Owed owed = Owed.NOTHING.plus("e", 5, 10).plus("e", 20, 30);
    assertThat(owed.ranges()).containsExactly(new Range("e", 5, 10), new Range("e", 20, 30));
    assertThat(owed.plus("e", 10, 20).ranges()).containsExactly(new Range("e", 5, 30));
    assertThat(owed.plus("f", 10, 20).ranges()).hasSize(3);
    assertThat(owed.plus("e", 7, 7)).isEqualTo(owed);
  }

  @Test
  @DisplayName("R-4.4 against a plain set of seqs, in any order")
  void model() {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 500; round++) {
      Owed owed = Owed.NOTHING;
      Map<String, TreeSet<Long>> model = new HashMap<>();
      for (int i = 0; i < 30; i++) {
        String epoch = random.nextBoolean() ? "e" : "f";
        long from = random.nextInt(100);
        long to = from + random.nextInt(20);
        TreeSet<Long> set = model.computeIfAbsent(epoch, e -> new TreeSet<>());
        boolean plus = random.nextBoolean();
        owed = plus ? owed.plus(epoch, from, to) : owed.minus(epoch, from, to);
        for (long seq = from + 1; seq <= to; seq++) {
          boolean unused = plus ? set.add(seq) : set.remove(seq);
        }
        same(owed, model);
      }
    }
  }

  private static void same(Owed owed, Map<String, ? extends Set<Long>> model) {
    Map<String, TreeSet<Long>> seqs = new HashMap<>();
    for (Range range : owed.ranges()) {
      TreeSet<Long> set = seqs.computeIfAbsent(range.epoch(), e -> new TreeSet<>());
      for (long seq = range.from() + 1; seq <= range.to(); seq++) {
        assertThat(set.add(seq)).as("twice: %d in %s", seq, owed).isTrue();
      }
    }
    model.values().removeIf(Set::isEmpty);
    assertThat(seqs).isEqualTo(model);
  }

  @Test
  @DisplayName("it stays bounded")
  void bounded() {
    Owed owed = Owed.NOTHING;
    for (int i = 0; i < 300; i++) {
      owed = owed.plus("e", i * 10L, i * 10L + 1);
    }
    assertThat(owed.ranges()).hasSize(Owed.MOST_RANGES);
    assertThat(owed.ranges().get(63)).isEqualTo(new Range("e", 2990, 2991));
  }
}
