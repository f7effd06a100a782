package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.OTHER;
import static dev.holdfast.testkit.rules.TestLog.U;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.rules.Proposals;
import dev.holdfast.record.Event;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Online at once, offline after a while (D15). */
class PresenceTest {
  private static final Proposals.Proposal LEAVE = new Proposals.Proposal(U, new Event.Leave());
  private static final Proposals.Proposal EXPIRE = new Proposals.Proposal(U, new Event.Expire());
  private static final long TEN_DAYS = Duration.ofDays(10).toMillis();

  private final TestLog log = new TestLog();

  @Test
  void aConnectIsOnlineAtOnce() {
    log.connect("c1", 0L);

    assertThat(log.presence()).containsExactly("online");
  }

  @Test
  void aDisconnectIsOfflineOnlyAfterAWhile() {
    log.connect("c1", 0L).disconnect("c1").later(9_999).event(U, new Event.Leave());
    assertThat(log.presence()).containsExactly("online");

    log.later(1).event(U, new Event.Leave());
    assertThat(log.presence()).containsExactly("offline");

    log.later(1).event(U, new Event.Leave());
    assertThat(log.presence()).isEmpty();
  }

  @Test
  void whoComesBackInTimeNeverLeft() {
    log.connect("c1", 0L).disconnect("c1").later(9_000).connect("c2", 0L);
    log.later(9_000).event(U, new Event.Leave());

    assertThat(log.presence()).containsExactly("online", "online");
    assertThat(log.box().online()).isTrue();
  }

  @Test
  void oneOfTwoConnectionsGoingIsToldAtOnce() {
    log.connect("c1", 0L).event(U, TestLog.connect("laptop", "c2", OTHER, 0L, null, null));
    log.presence();

    log.disconnect("c1");

    assertThat(log.presence()).containsExactly("online");
    assertThat(log.box().leavingSince()).isZero();
  }

  @Test
  void theLeaveIsProposedUntilItIsRead() {
    log.connect("c1", 0L).disconnect("c1");
    Proposals proposals = new Proposals(log.rows);

    assertThat(proposals.due(log.now() + 9_999, log.rules())).isEmpty();
    assertThat(proposals.due(log.now() + 10_000, log.rules())).containsExactly(LEAVE);
    assertThat(proposals.due(log.now() + 10_500, log.rules())).contains(LEAVE);
    log.later(10_500).event(U, new Event.Leave());
    assertThat(proposals.due(log.now() + 500, log.rules())).doesNotContain(LEAVE);
  }

  @Test
  void aDisconnectThatIsReadLateIsProposedToo() {
    Proposals proposals = new Proposals(log.connect("c1", 0L).rows);
    assertThat(proposals.due(log.now() + 60_000, log.rules())).doesNotContain(LEAVE);

    log.disconnect("c1");

    assertThat(proposals.due(log.now() + 90_000, log.rules())).contains(LEAVE);
  }

  @Test
  void aClockThatWasAheadAndIsPutRightProposesAgainAtOnce() {
    Proposals proposals = new Proposals(log.connect("c1", 0L).rows);
    assertThat(proposals.due(log.now() + 3_600_000, log.rules())).doesNotContain(LEAVE);
    log.disconnect("c1");

    assertThat(proposals.due(log.now() + 10_000, log.rules())).contains(LEAVE);
  }

  @Test
  void whoLeavesBetweenTwoTicksIsToldBeforeAndProposedOnceInTime() {
    log.connect("c1", 0L).disconnect("c1");
    long due = log.now() + 10_000;
    Proposals proposals = new Proposals(log.rows);
    assertThat(proposals.nextLeave()).isEqualTo(Long.MAX_VALUE);

    assertThat(proposals.due(due - 600, log.rules())).isEmpty();
    assertThat(proposals.nextLeave()).isEqualTo(due);
    assertThat(proposals.leaves(due - 1, log.rules())).isEmpty();
    assertThat(proposals.nextLeave()).isEqualTo(due);
    assertThat(proposals.leaves(due, log.rules())).containsExactly(LEAVE);
    assertThat(proposals.nextLeave()).isEqualTo(Long.MAX_VALUE);
    assertThat(proposals.leaves(due + 50, log.rules())).as("it is under way").isEmpty();
    assertThat(proposals.due(due + 400, log.rules())).as("it may be lost").contains(LEAVE);
  }

  @Test
  void whoStaysOnlineIsToldAgainAfterTenDaysAndOnceOnly() {
    log.connect("c1", 0L);
    String told = log.presenceRecord();
    log.presence();
    Proposals proposals = new Proposals(log.rows);
    assertThat(proposals.due(log.now() + TEN_DAYS - 1, log.rules())).doesNotContain(EXPIRE);
    log.later(TEN_DAYS - 1).event(U, new Event.Expire());
    assertThat(log.presence()).as("before its time").isEmpty();

    assertThat(proposals.due(log.now() + 1, log.rules())).contains(EXPIRE);
    log.later(1).restart().event(U, new Event.Expire()).event(U, new Event.Expire());

    assertThat(log.presence()).containsExactly("online");
    assertThat(log.presenceRecord())
        .as("only the rev differs")
        .isEqualTo(told.replace("\"rev\":0", "\"rev\":2"));
    assertThat(proposals.due(log.now() + TEN_DAYS - 1, log.rules())).doesNotContain(EXPIRE);
    assertThat(proposals.due(log.now() + TEN_DAYS, log.rules())).contains(EXPIRE);
  }

  @Test
  void aChangeThatWasToldCountsAsTold() {
    log.connect("c1", 0L).later(TEN_DAYS - 1).connect("c2", 0L);
    log.presence();

    log.later(TEN_DAYS - 1).event(U, new Event.Expire());

    assertThat(log.presence()).isEmpty();
  }

  @Test
  void whoIsOfflineIsNotToldAgain() {
    log.connect("c1", 0L).disconnect("c1").later(10_000).event(U, new Event.Leave());
    log.presence();

    log.later(2 * TEN_DAYS).event(U, new Event.Expire());

    assertThat(log.presence()).isEmpty();
  }
}
