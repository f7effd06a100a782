package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.EDGE;
import static dev.holdfast.testkit.rules.TestLog.OTHER;
import static dev.holdfast.testkit.rules.TestLog.U;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.rules.Quiet;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import org.junit.jupiter.api.Test;

/** What a rebuild keeps back, and what it owes for that. */
class QuietTest {
  private static final long END = 10;
  private static final long BEFORE = 1_000;

  private final TestLog log = new TestLog();

  private Quiet quiet(long applied, long end) {
    return new Quiet(log.rows, applied, end, BEFORE);
  }

  private static LogPosition at(long offset, long time) {
    return new LogPosition(0, offset, time);
  }

  @Test
  void whoHasStateIsNeverQuiet() {
    Quiet quiet = quiet(3, END);

    assertThat(quiet.endsAt(at(4, 0))).isFalse();
    assertThat(quiet.holds()).isFalse();
    assertThat(log.rows.get(Keys.quiet())).isNull();
  }

  @Test
  void whoseLogWasEmptyIsNeverQuiet() {
    Quiet quiet = quiet(-1, 0);

    assertThat(quiet.endsAt(at(0, 0))).isFalse();
    assertThat(quiet.holds()).isFalse();
  }

  @Test
  void quietEndsWhereTheLogEnded() {
    Quiet quiet = quiet(-1, END);

    assertThat(quiet.endsAt(at(9, BEFORE - 1))).isFalse();
    assertThat(quiet.holds()).isTrue();
    assertThat(quiet.endsAt(at(10, BEFORE - 1))).isTrue();
    assertThat(quiet.holds()).isFalse();
    assertThat(log.rows.get(Keys.quiet())).isNull();
  }

  @Test
  void quietEndsWhereRecordsAreYoungAndForGood() {
    Quiet quiet = quiet(-1, END);
    quiet.endsAt(at(0, BEFORE - 1));

    assertThat(quiet.endsAt(at(1, BEFORE))).isTrue();
    assertThat(quiet.endsAt(at(2, BEFORE - 1))).isFalse();
    assertThat(quiet.holds()).isFalse();
  }

  @Test
  void whereNothingWasKeptBackNothingIsOwed() {
    Quiet quiet = quiet(-1, END);

    assertThat(quiet.endsAt(at(0, BEFORE))).isFalse();
    assertThat(quiet.holds()).isFalse();
  }

  @Test
  void theNextInstanceGoesOnWithTheQuietOfTheOneThatDied() {
    quiet(-1, END).endsAt(at(0, 0));

    Quiet next = new Quiet(log.rows, 0, END + 5, BEFORE + 5);

    assertThat(next.holds()).isTrue();
    assertThat(next.endsAt(at(END, BEFORE - 1))).isTrue();
    assertThat(new Quiet(log.rows, END, END + 5, BEFORE).holds()).isFalse();
  }

  @Test
  void whoHasNotAcknowledgedAllIsToldHowFarItWasSent() {
    log.event(U, TestLog.connect("phone", "c1", EDGE, 0L, null, 1L));
    log.event(U, TestLog.connect("laptop", "c2", OTHER, 0L, null, 1L));
    log.event(U, TestLog.connect("tablet", "c3", EDGE, 0L, null, 1L));
    log.messages(2).ack("c1", 2).disconnect("c1");
    log.event(U, TestLog.connect("phone", "c4", EDGE, 2L, null, 2L));
    log.said();

    log.announce();

    assertThat(log.said()).containsExactlyInAnyOrder("held c2 2", "held c3 2");
  }

  @Test
  void whatTheEdgeThenAsksForComesAgain() {
    log.connect("c1", 0L).messages(2).said();

    log.announce().resync("c1", 0);

    assertThat(log.said()).containsExactly("held c1 2", "message c1 1", "message c1 2");
  }
}
