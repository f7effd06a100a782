package dev.holdfast.edge.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RateTableTest {
  @Test
  void allowsTheBurstThenTheRate() {
    RateTable table = new RateTable(new Rate(5, 3), 64, new Random(1));
    for (int i = 0; i < 3; i++) {
      assertThat(table.take(7, 1_000, 1)).isZero();
    }
    assertThat(table.take(7, 1_000, 1)).isEqualTo(200);
    assertThat(table.take(7, 1_199, 1)).isEqualTo(1);
    assertThat(table.take(7, 1_200, 1)).isZero();
    assertThat(table.take(7, 1_200, 1)).isEqualTo(200);
    assertThat(table.take(8, 1_200, 1)).as("another key").isZero();
  }

  /** The packed bucket against one that says what it does. */
  @Test
  void countsLikeATokenBucket() {
    Random random = new Random(42);
    RateTable table = new RateTable(new Rate(5, 20), 1_024, new Random(2));
    Map<Long, double[]> model = new HashMap<>();
    long now = -50_000;
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      now += random.nextInt(30);
      long key = random.nextInt(8);
      double[] bucket = model.computeIfAbsent(key, k -> new double[] {20, 0});
      if (bucket[1] != 0) {
        bucket[0] = Math.min(20, bucket[0] + (now - bucket[1]) * 5 / 1_000);
      }
      bucket[1] = now == 0 ? 1e-9 : now;
      boolean allowed = bucket[0] >= 1 - 1e-6;
      bucket[0] -= allowed ? 1 : 0;
      refused += allowed ? 0 : 1;
      assertThat(table.take(key, now, 1) == 0).as("step " + i).isEqualTo(allowed);
    }
    assertThat(refused).isBetween(100, 19_000);
  }

  @Test
  void manyKeysMakeItForgetNotGrowAndTheBusiestIsForgottenLast() {
    RateTable table = new RateTable(new Rate(1, 5), 64, new Random(3));
    for (int i = 0; i < 5; i++) {
      assertThat(table.take(-1, 0, 1)).isZero();
    }
    for (long key = 0; key < 100_000; key++) {
      assertThat(table.take(key, 0, 1)).isZero();
    }
    assertThat(table.take(-1, 0, 1)).as("its bucket is emptier than all others'").isPositive();
  }

  @Test
  void offNeverRefuses() {
    RateTable table = new RateTable(Rate.OFF, 8, new Random(1));
    for (int i = 0; i < 1_000; i++) {
      assertThat(table.take(1, 0, 1)).isZero();
    }
  }

  @Test
  void severalTokensAreTakenTogetherOrNotAtAll() {
    RateTable table = new RateTable(new Rate(1, 5), 8, new Random(1));
    assertThat(table.take(1, 0, 3)).isZero();
    assertThat(table.take(1, 0, 3)).isEqualTo(1_000);
    assertThat(table.take(1, 0, 2)).isZero();
  }
}
