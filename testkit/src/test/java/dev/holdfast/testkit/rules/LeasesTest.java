package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.EDGE;
import static dev.holdfast.testkit.rules.TestLog.OTHER;
import static dev.holdfast.testkit.rules.TestLog.U;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.rules.Proposals;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.record.Event;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Edges answer for their connections (D10). */
class LeasesTest {
  private final TestLog log = new TestLog();

  @BeforeEach
  void givenOneConnection() {
    log.connect("c1", 0L).said();
    log.presence();
  }

  private TestLog suspect(long rosterOffset) {
    return log.event("", new Event.Suspect(EDGE.key(), rosterOffset));
  }

  @Test
  void aRosterThatAgreesIsQuiet() {
    log.roster(EDGE, "c1");

    assertThat(log.said()).isEmpty();
  }

  @Test
  void aRosterThatDisagreesIsAskedForItsList() {
    log.roster(EDGE).roster(EDGE, "c2").roster(EDGE, "c1", "c2");

    assertThat(log.said())
        .containsExactly("roster_wanted edge", "roster_wanted edge", "roster_wanted edge");
  }

  @Test
  void aConnectionThatTwoListsLackLapses() {
    log.list(EDGE);
    assertThat(log.box().anyLive()).isTrue();

    log.list(EDGE);

    assertThat(log.box().anyLive()).isFalse();
    assertThat(log.box().leavingSince()).isEqualTo(log.now());
    assertThat(log.presence()).isEmpty();
    log.roster(EDGE);
    assertThat(log.said()).isEmpty();
  }

  @Test
  void aListBetweenThatHasItCancelsTheFirst() {
    log.list(EDGE).list(EDGE, new Event.Roster.Entry(U, "phone", "c1")).list(EDGE);

    assertThat(log.box().anyLive()).isTrue();
  }

  @Test
  void aListedConnectionThatNobodyKnowsIsClosed() {
    log.list(
        EDGE,
        new Event.Roster.Entry(U, "phone", "c1"),
        new Event.Roster.Entry("carl", "phone", "c9"),
        new Event.Roster.Entry(U, "laptop", "c8"),
        new Event.Roster.Entry(U, "phone", "c7"));

    assertThat(log.said())
        .containsExactlyInAnyOrder("close c9 1012", "close c8 1012", "close c7 4002");
  }

  @Test
  void twoSuspicionsAnIntervalApartEndTheEdge() {
    log.later(11_000);
    suspect(0).later(5_000);
    suspect(0);

    assertThat(log.said()).containsExactly("close c1 1012");
    assertThat(log.presence()).containsExactly("offline");
    assertThat(log.rows.get(Keys.lease(EDGE.key()))).isNull();
    assertThat(log.rows.get(Keys.connection(EDGE.key(), U, "phone"))).isNull();
  }

  @Test
  void aProposerWhoseClockIsAheadIsNotHeeded() {
    log.later(1_000);
    suspect(0).later(5_000);
    suspect(0).later(4_000);
    suspect(0);

    assertThat(log.box().anyLive()).isTrue();
  }

  @Test
  void twoSuspicionsAtOnceDoNot() {
    log.later(11_000);
    suspect(0).later(4_999);
    suspect(0);

    assertThat(log.box().anyLive()).isTrue();
  }

  @Test
  void aRosterBetweenCancelsTheSuspicion() {
    log.later(11_000);
    suspect(0).later(1_000).roster(EDGE, "c1").later(5_000);
    suspect(0);
    suspect(1);

    assertThat(log.box().anyLive()).isTrue();
    assertThat(log.said()).isEmpty();
  }

  @Test
  void aConnectBetweenCancelsTheSuspicion() {
    log.later(11_000);
    suspect(0).later(4_000);
    log.event("carl", TestLog.connect("phone", "c2", EDGE, 0L, null, null)).said();
    log.later(1_000);
    suspect(0);

    assertThat(log.box().anyLive()).isTrue();
    assertThat(log.said()).isEmpty();
  }

  @Test
  void theOtherEdgesUsersStayOnline() {
    log.event("carl", TestLog.connect("phone", "c2", OTHER, 0L, null, null));
    log.event(U, TestLog.connect("laptop", "c3", OTHER, 0L, null, null)).said();
    log.presence();
    log.later(11_000);

    suspect(0).later(5_000);
    suspect(0);

    assertThat(log.said()).containsExactly("close c1 1012");
    assertThat(log.presence()).containsExactly("online");
  }

  @Test
  void anEdgeThatWakesUpFindsItsConnectionsClosed() {
    log.later(11_000);
    suspect(0).later(5_000);
    suspect(0).said();

    log.roster(EDGE, "c1").list(EDGE, new Event.Roster.Entry(U, "phone", "c1")).ack("c1", 0);

    assertThat(log.said()).containsExactly("roster_wanted edge", "close c1 1012", "close c1 1012");
  }

  @Test
  void aLogWhoseClockGoesBackCountsTheSameAfterARestart() {
    TestLog other = new TestLog().connect("c1", 0L);
    for (TestLog each : List.of(log, other)) {
      each.later(10_000).event("", new Event.Suspect(EDGE.key(), 0)).later(-3_000);
    }
    other.restart();

    for (TestLog each : List.of(log, other)) {
      each.roster(EDGE, "c1").event("", new Event.Suspect(EDGE.key(), 2)).later(5_000);
      each.event("", new Event.Suspect(EDGE.key(), 2));
    }

    assertThat(log.rows.memory().difference(other.rows.memory())).isNull();
  }

  @Test
  void silenceIsProposedTwiceAndARosterEndsIt() {
    Proposals proposals = new Proposals(log.rows);
    long begin = log.now();

    assertThat(proposals.due(begin + 10_000, log.rules())).isEmpty();
    assertThat(proposals.due(begin + 10_001, log.rules()))
        .containsExactly(new Proposals.Proposal(null, new Event.Suspect(EDGE.key(), 0)));
    assertThat(proposals.due(begin + 10_002, log.rules())).isEmpty();
    log.later(10_001);
    suspect(0);
    assertThat(proposals.due(begin + 15_001, log.rules())).hasSize(1);
    log.roster(EDGE, "c1");
    assertThat(proposals.due(begin + 20_000, log.rules())).isEmpty();
  }

  @Test
  void aClockThatWasAheadAndIsPutRightProposesAgainAtOnce() {
    Proposals proposals = new Proposals(log.rows);
    long ahead = 3_600_000;
    assertThat(proposals.due(log.now() + ahead, log.rules())).hasSize(1);

    assertThat(proposals.due(log.now() + 10_001, log.rules()))
        .containsExactly(new Proposals.Proposal(null, new Event.Suspect(EDGE.key(), 0)));
  }
}
