package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.EDGE;
import static dev.holdfast.testkit.rules.TestLog.OTHER;
import static dev.holdfast.testkit.rules.TestLog.U;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A kick ends what is connected when it comes, and nothing else. */
class KickTest {
  private final TestLog log = new TestLog();

  private void connect(String client, String conn, EdgeRef edge, long attempt) {
    log.event(U, TestLog.connect(client, conn, edge, 0L, null, attempt));
  }

  private boolean live(String client) {
    return Objects.requireNonNull(log.box().client(client)).live();
  }

  private void twoDevices() {
    connect("phone", "c1", EDGE, 1);
    connect("laptop", "c2", OTHER, 1);
    log.said();
    log.presence();
  }

  @Test
  void allOfTheUsersConnectionsEndWhereTheyAre() {
    twoDevices();

    log.event(U, new Event.Kick(null)).message("1");

    assertThat(log.said()).containsExactlyInAnyOrder("close c1 4410", "close c2 4410");
    assertThat(live("phone")).isFalse();
    assertThat(live("laptop")).isFalse();
  }

  @Test
  void aNamedClientAloneEnds() {
    twoDevices();

    log.event(U, new Event.Kick("phone")).message("1");

    assertThat(log.said()).containsExactly("close c1 4410", "message c2 1");
    assertThat(log.presence()).containsExactly("online");
  }

  @Test
  void nobodyElseIsTouched() {
    twoDevices();
    log.event("zoe", TestLog.connect("phone", "c3", EDGE, 0L, null, 1L)).said();

    log.event("zoe", new Event.Kick(null)).event(U, new Event.Kick("tablet"));

    assertThat(log.said()).containsExactly("close c3 4410");
    assertThat(live("phone")).isTrue();
  }

  @Test
  void whoIsNotConnectedOrNotKnownIsNotKicked() {
    log.event(U, new Event.Kick(null));
    twoDevices();
    log.disconnect("c1").event(U, new Event.Disconnect("laptop", "c2", OTHER, "test")).said();

    log.event(U, new Event.Kick(null)).event(U, new Event.Kick("phone"));

    assertThat(log.said()).isEmpty();
  }

  @Test
  void aLaterConnectIsWelcomeAndMissesNothing() {
    twoDevices();
    log.event(U, new Event.Kick(null)).message("1").said();

    connect("phone", "c3", OTHER, 2);

    assertThat(log.said()).containsExactly("welcome c3 resumed", "message c3 1", "sync c3 1");
  }

  @Test
  void theSameKickAppliedAgainSparesWhoCameSince() {
    twoDevices();
    long at = log.nextOffset();
    log.event(U, new Event.Kick(null));
    connect("phone", "c3", EDGE, 2);
    log.said();

    log.restart().again(at, U, new Event.Kick(null));

    assertThat(log.said()).isEmpty();
    assertThat(live("phone")).isTrue();
  }

  @Test
  void theEdgesReportAgreesAfterwards() {
    twoDevices();
    log.event(U, new Event.Kick(null)).said();

    log.roster(EDGE).roster(OTHER);

    assertThat(log.said()).isEmpty();
  }

  @Test
  void whatTheEndedConnectionStillSaysChangesNothing() {
    twoDevices();
    log.message("1").event(U, new Event.Kick("phone")).said();

    log.disconnect("c1").ack("c1", 1);

    assertThat(log.said()).containsExactly("close c1 1012");
    assertThat(Objects.requireNonNull(log.box().client("phone")).acked()).isZero();
  }

  @Test
  void theUserIsOfflineAfterTheUsualDelay() {
    twoDevices();

    log.event(U, new Event.Kick(null)).event(U, new Event.Leave());
    assertThat(log.presence()).isEmpty();
    log.later(log.rules().leaveDelayMs()).event(U, new Event.Leave());

    assertThat(log.presence()).containsExactly("offline");
  }
}
