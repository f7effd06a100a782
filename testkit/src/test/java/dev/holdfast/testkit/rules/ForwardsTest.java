package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.U;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.rules.Forwards;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.record.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records on a wrong partition move under one identity, however often (D1). */
class ForwardsTest {
  private static final String ORIGIN = "topic:1:7";
  private final TestLog log = new TestLog();

  private boolean tooOld(long originMs) {
    return Forwards.tooOld(originMs, new LogPosition(0, log.nextOffset(), log.now()), log.rules());
  }

  @Test
  void aMessageWithoutAnIdIsNamedAfterItsPlace() {
    assertThat(Forwards.named(TestLog.message("shop", "", null, "1"), ORIGIN))
        .isEqualTo(TestLog.message("shop", "", ORIGIN, "1"));
    Event own = TestLog.message("shop", "", "order-1", "1");
    assertThat(Forwards.named(own, ORIGIN)).isEqualTo(own);
    assertThat(Forwards.named(new Event.Leave(), ORIGIN)).isEqualTo(new Event.Leave());
  }

  @Test
  void whatARebuildMovesAgainWithinTheWindowIsARepeat() {
    long origin = log.now();
    Event copy = Forwards.named(TestLog.message("shop", "", null, "1"), ORIGIN);
    log.event(U, copy).later(log.rules().dedupWindowMs() / 2);
    assertThat(tooOld(origin)).isFalse();

    log.event(U, copy);

    assertThat(log.said()).containsExactly("repeat");
    assertThat(log.box().latest()).isEqualTo(1);
  }

  /** Original and copies have their times from different brokers, whose clocks differ. */
  @ParameterizedTest
  @ValueSource(longs = {-2_000, 0, 2_000})
  void noCopyIsTakenOnceTheFirstIsForgotten(long homeBrokerIsAheadMs) {
    long origin = log.now();
    Event copy = Forwards.named(TestLog.message("shop", "", null, "1"), ORIGIN);
    log.later(homeBrokerIsAheadMs).event(U, copy).later(log.rules().dedupWindowMs() - 10_000);

    for (int i = 0; i < 200; i++) {
      log.later(100);
      if (!tooOld(origin)) {
        log.event(U, copy);
      }
    }

    assertThat(log.box().latest()).isEqualTo(1);
    assertThat(tooOld(origin)).isTrue();
  }
}
