package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.EDGE;
import static dev.holdfast.testkit.rules.TestLog.OTHER;
import static dev.holdfast.testkit.rules.TestLog.U;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Of two connections of one client, the newest counts (D6). */
class ConnectionsTest {
  private final TestLog log = new TestLog();

  private TestLog connect(String conn, EdgeRef edge, @Nullable Long attempt) {
    return log.event(U, TestLog.connect("phone", conn, edge, 0L, null, attempt));
  }

  @Test
  void aHigherAttemptReplacesOnAnotherEdge() {
    connect("c1", EDGE, 1L).said();

    connect("c2", OTHER, 2L);

    assertThat(log.said()).containsExactly("close c1 4002", "welcome c2 resumed", "sync c2 0");
  }

  @Test
  void aLowerAttemptThatComesLateIsClosedItself() {
    connect("c2", OTHER, 2L).said();

    connect("c1", EDGE, 1L).message("1");

    assertThat(log.said()).containsExactly("close c1 4002", "message c2 1");
  }

  @Test
  void equalAttemptsAndAbsentOnesGoByTheLog() {
    connect("c1", EDGE, 1L);
    connect("c2", OTHER, 1L);
    connect("c3", EDGE, null);
    connect("c4", OTHER, 0L).said();

    log.message("1");

    assertThat(log.said()).containsExactly("message c4 1");
  }

  @Test
  void theSameConnectAgainChangesNothing() {
    connect("c1", EDGE, 1L).said();

    connect("c1", EDGE, 1L);

    assertThat(log.said()).isEmpty();
  }

  @Test
  void twoClientsOfAUserDoNotReplaceEachOther() {
    connect("c1", EDGE, 1L);
    log.event(U, TestLog.connect("laptop", "c2", OTHER, 0L, null, 1L)).said();

    log.message("1");

    assertThat(log.said()).containsExactlyInAnyOrder("message c1 1", "message c2 1");
  }

  @Test
  void lateEventsOfAnOldConnectionChangeNothing() {
    connect("c1", EDGE, 1L);
    log.messages(2);
    connect("c2", OTHER, 2L).said();

    log.ack("c1", 2).disconnect("c1");

    assertThat(log.said()).containsExactly("close c1 4002");
    assertThat(log.box().clients().get(0).acked()).isZero();
    assertThat(log.box().clients().get(0).live()).isTrue();
  }

  @Test
  void aLateRosterWithAnOldConnectionClosesOnlyThat() {
    connect("c1", EDGE, 1L);
    connect("c2", OTHER, 2L).said();

    log.list(EDGE, new Event.Roster.Entry(U, "phone", "c1"));

    assertThat(log.said()).containsExactly("close c1 4002");
    assertThat(log.box().clients().get(0).live()).isTrue();
  }

  @Test
  void anAckOfNobodyIsAnsweredWithARestart() {
    log.ack("c1", 1);

    assertThat(log.said()).containsExactly("close c1 1012");
  }

  @Test
  void anAckAfterTheEndIsAnsweredWithARestart() {
    connect("c1", EDGE, 1L);
    log.disconnect("c1").said();

    log.ack("c1", 1);

    assertThat(log.said()).containsExactly("close c1 1012");
  }

  @Test
  void beyondTheLimitTheOldestClientWithoutConnectionIsForgotten() {
    log.rules(Map.of("clientsPerUser", 2L));
    connect("c1", EDGE, 1L);
    log.event(U, TestLog.connect("laptop", "c2", EDGE, 0L, null, 1L))
        .event(U, new Event.Disconnect("laptop", "c2", EDGE, "test"))
        .said();

    log.event(U, TestLog.connect("tablet", "c3", EDGE, 0L, null, 1L));

    assertThat(log.said()).containsExactly("welcome c3 resumed", "sync c3 0");
    assertThat(log.box().client("laptop")).isNull();
  }

  @Test
  void beyondTheLimitTheOldestConnectionEndsWhenAllAreConnected() {
    log.rules(Map.of("clientsPerUser", 1L));
    connect("c1", EDGE, 1L).said();

    log.event(U, TestLog.connect("laptop", "c2", EDGE, 0L, null, 1L));

    assertThat(log.said()).contains("close c1 4002");
    assertThat(log.box().clients()).hasSize(1);
    assertThat(log.box().client("laptop")).isNotNull();
  }
}
