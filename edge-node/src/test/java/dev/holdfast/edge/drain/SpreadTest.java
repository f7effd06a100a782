package dev.holdfast.edge.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpreadTest {
  @ParameterizedTest
  @DisplayName("R-6.2: no second of a drain has more than twice the mean of closes")
  @CsvSource({"1000, 20", "19000, 20", "300, 20", "40, 20", "1000, 3", "17, 1"})
  void noSecondHasMoreThanTwiceTheMean(int count, int seconds) {
    for (long seed = 0; seed < 100; seed++) {
      long[] moments = Spread.moments(count, 1_000L * seconds, new Random(seed));

      assertThat(moments).isSorted().hasSize(count);
      assertThat(busiestSecond(moments))
          .as("seed %d", seed)
          .isLessThanOrEqualTo(2 * count / seconds);
      assertThat(moments[count - 1]).isLessThan(1_000L * seconds);
      assertThat(moments[count - 1]).isGreaterThan(1_000L * seconds - 2_000L * seconds / count - 1);
    }
  }

  /** Of any thousand milliseconds, wherever they begin. */
  private static int busiestSecond(long[] moments) {
    int most = 0;
    int from = 0;
    for (int to = 0; to < moments.length; to++) {
      while (moments[to] - moments[from] >= 1_000) {
        from++;
      }
      most = Math.max(most, to - from + 1);
    }
    return most;
  }

  @Test
  void twoEdgesDoNotBeatTogether() {
    long[] one = Spread.moments(100, 20_000, new Random(1));
    long[] other = Spread.moments(100, 20_000, new Random(2));

    assertThat(IntStream.range(0, 100).filter(i -> one[i] == other[i]).count()).isLessThan(20);
  }

  @Test
  void zeroSecondsIsAtOnceAndNobodyIsNothing() {
    assertThat(Spread.moments(5, 0, new Random(1))).containsOnly(0);
    assertThat(Spread.moments(0, 20_000, new Random(1))).isEmpty();
  }

  @Test
  void theOrderIsRandomAndComplete() {
    List<Integer> list = new ArrayList<>(IntStream.range(0, 1_000).boxed().toList());
    List<Integer> before = List.copyOf(list);

    Spread.shuffle(list, new Random(3));

    assertThat(list).isNotEqualTo(before).containsExactlyInAnyOrderElementsOf(before);
    int[] places = new int[3];
    for (int seed = 0; seed < 3_000; seed++) {
      List<Integer> three = new ArrayList<>(List.of(0, 1, 2));
      Spread.shuffle(three, new Random(seed));
      places[three.indexOf(0)]++;
    }
    assertThat(Arrays.stream(places).boxed().toList()).allMatch(n -> n > 850 && n < 1_150);
  }
}
