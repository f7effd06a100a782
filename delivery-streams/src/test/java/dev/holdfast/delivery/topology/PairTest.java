package dev.holdfast.delivery.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.topology.Pair.Sight;
import dev.holdfast.delivery.topology.Pair.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairTest {
  private final Pair pair = new Pair();
  private final List<Long> told = new ArrayList<>();

  /** Looks every second, from one to just before the other. */
  private void look(Sight sight, long from, long until) {
    for (long second = from; second < until; second++) {
      if (pair.look(sight, Instant.ofEpochSecond(second))) {
        told.add(second);
      }
    }
  }

  @Test
  void oneThatNeverRanIsNoPair() {
    look(Sight.NEVER_THERE, 0, 600);

    assertThat(pair.state()).isEqualTo(State.NONE);
    assertThat(told).isEmpty();
  }

  @Test
  void aRestartIsNotTold() {
    look(Sight.MEMBERS, 0, 10);
    look(Sight.NO_MEMBER, 10, 40);
    assertThat(pair.state()).isEqualTo(State.BOTH);
    look(Sight.MEMBERS, 40, 50);

    assertThat(pair.state()).isEqualTo(State.BOTH);
    assertThat(told).isEmpty();
  }

  @Test
  void oneThatStaysAwayIsToldAfterThirtySecondsAndOnceAMinute() {
    look(Sight.MEMBERS, 0, 10);
    look(Sight.NO_MEMBER, 10, 200);

    assertThat(pair.state()).isEqualTo(State.ALONE);
    assertThat(pair.aloneSince()).isEqualTo(Instant.ofEpochSecond(10));
    assertThat(told).containsExactly(40L, 100L, 160L);
  }

  @Test
  void itsReturnEndsTheAlertAndTheNextAbsenceCountsAnew() {
    look(Sight.NO_MEMBER, 0, 50);
    look(Sight.MEMBERS, 50, 51);
    assertThat(pair.state()).isEqualTo(State.BOTH);
    look(Sight.NO_MEMBER, 51, 100);

    assertThat(pair.state()).isEqualTo(State.ALONE);
    assertThat(told).containsExactly(30L, 81L);
  }

  @Test
  void oneThatWasAwayFromTheStartIsNotCalledThereButToldInTime() {
    look(Sight.NO_MEMBER, 0, 1);
    assertThat(pair.state()).isEqualTo(State.ALONE);
    look(Sight.NO_MEMBER, 1, 31);

    assertThat(told).containsExactly(30L);
  }

  @Test
  void oneThatWasTakenAwayForGoodIsNoPair() {
    look(Sight.MEMBERS, 0, 1);
    look(Sight.NO_MEMBER, 1, 60);
    look(Sight.NEVER_THERE, 60, 200);

    assertThat(pair.state()).isEqualTo(State.NONE);
    assertThat(told).containsExactly(31L);
  }
}
