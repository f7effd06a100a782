package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.EDGE;
import static dev.holdfast.testkit.rules.TestLog.U;
import static dev.holdfast.testkit.rules.TestLog.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.record.Event;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How much may be under way to one client (D10). */
class FlowTest {
  private final TestLog log = new TestLog();

  private TestLog resync(String conn, long from, boolean synced) {
    return log.event(U, new Event.Resync("phone", conn, EDGE, from, synced));
  }

  @Test
  void theWindowStartsSmallAndDoublesWithAcks() {
    log.rules(Map.of("window", 4L, "windowStart", 1L)).messages(9).connect("c1", 0L);

    assertThat(log.said()).containsExactly("welcome c1 resumed", "message c1 1", "held c1 1");
    log.ack("c1", 1);
    assertThat(log.said()).containsExactly("message c1 2", "message c1 3", "held c1 3");
    log.ack("c1", 3);
    assertThat(log.said()).hasSize(5).endsWith("message c1 7", "held c1 7");
    log.ack("c1", 4);
    assertThat(log.said()).containsExactly("message c1 8", "held c1 8");
    log.ack("c1", 8);
    assertThat(log.said()).containsExactly("message c1 9", "sync c1 9");
  }

  @Test
  void aBacklogTakesFewDeliveries() {
    log.messages(30).connect("c1", 0L);

    assertThat(log.said()).hasSize(32).contains("message c1 1", "message c1 30", "sync c1 30");
    assertThat(log.batches()).isEqualTo(1);
  }

  @Test
  void aDeliveryOfSeveralIsBoundedInBytes() {
    String payload = '"' + "x".repeat(30_000) + '"';
    for (int i = 1; i <= 5; i++) {
      log.event(U, message("bob", "phone", "m" + i, payload));
    }

    log.connect("c1", 0L);

    assertThat(log.said())
        .containsExactly(
            "welcome c1 resumed",
            "message c1 1",
            "message c1 2",
            "message c1 3",
            "message c1 4",
            "message c1 5",
            "sync c1 5");
    assertThat(log.batches()).isEqualTo(3);
  }

  @Test
  void aFullWindowIsToldOnce() {
    log.rules(Map.of("window", 1L, "windowStart", 1L)).connect("c1", 0L).said();

    log.messages(3);

    assertThat(log.said()).containsExactly("message c1 1", "held c1 1");
  }

  @Test
  void theWindowCountsBytes() {
    String payload = '"' + "x".repeat(98) + '"';
    log.rules(Map.of("windowBytes", 2L * (100 + 128))).connect("c1", 0L).said();

    for (int i = 1; i <= 3; i++) {
      log.event(U, message("bob", "phone", "m" + i, payload));
    }

    assertThat(log.said()).containsExactly("message c1 1", "message c1 2", "held c1 2");
    log.ack("c1", 1);
    assertThat(log.said()).containsExactly("message c1 3");
  }

  @Test
  void oneMessageAlwaysFits() {
    log.rules(Map.of("windowBytes", 10L)).connect("c1", 0L).said();

    log.messages(2);

    assertThat(log.said()).containsExactly("message c1 1", "held c1 1");
    log.ack("c1", 1);
    assertThat(log.said()).containsExactly("message c1 2");
  }

  @Test
  void anAckThatSaysNothingNewOpensNothing() {
    log.rules(Map.of("window", 4L, "windowStart", 1L)).messages(4).connect("c1", 0L).said();

    log.ack("c1", 0).ack("c1", 1).said();
    log.ack("c1", 1);

    assertThat(log.said()).isEmpty();
  }

  @Test
  void anAckBeyondWhatWasSentIsCutToIt() {
    log.messages(2).connect("c1", 0L).ack("c1", 99);

    assertThat(log.box().clients().get(0).acked()).isEqualTo(2);
  }

  @Test
  void resyncSendsAgainFromTheEdgesLast() {
    log.messages(3).connect("c1", 0L).said();

    resync("c1", 1, false);

    assertThat(log.said()).containsExactly("message c1 2", "message c1 3", "sync c1 3");
    resync("c1", 2, true);
    assertThat(log.said()).containsExactly("message c1 3");
  }

  @Test
  void resyncNeverGoesBehindWhatIsAcknowledged() {
    log.messages(3).connect("c1", 0L).ack("c1", 2).said();

    resync("c1", 0, true);

    assertThat(log.said()).containsExactly("message c1 3");
  }

  @Test
  void whoWaitsForWhatIsNoLongerKeptIsEnded() {
    log.rules(Map.of("window", 1L, "windowStart", 1L, "mailboxMessages", 2L, "maxBacklog", 2L));
    log.connect("c1", 0L).said();

    log.messages(4);

    assertThat(log.said()).containsExactly("message c1 1", "held c1 1", "close c1 4004");
    assertThat(log.box().clients().get(0).live()).isFalse();
  }

  @Test
  void afterAnOverrunAnAckSendsNothingUnderAWrongSeq() {
    // The identities are forgotten with the messages, so that no row of 2 is left.
    log.rules(
        Map.of(
            "window",
            1L,
            "windowStart",
            1L,
            "mailboxMessages",
            2L,
            "maxBacklog",
            2L,
            "dedupWindowMs",
            1L));
    log.connect("c1", 0L);
    for (int i = 0; i < 6; i++) {
      log.later(10).messages(1);
    }
    log.said();

    log.ack("c1", 1);

    assertThat(log.said()).containsExactly("close c1 1012");
  }

  @Test
  void anotherClientsConnectMayOverrunOneThatIsHeld() {
    log.rules(Map.of("window", 1L, "windowStart", 1L, "mailboxAgeMs", 1_000L));
    log.connect("c1", 0L).messages(3).later(2_000).said();

    log.event(U, TestLog.connect("laptop", "c2", EDGE, 3L, null, null));

    assertThat(log.said()).containsExactly("welcome c2 resumed", "sync c2 3", "close c1 4004");
    log.ack("c1", 1);
    assertThat(log.said()).containsExactly("close c1 1012");
  }

  @Test
  void resyncOfWhatIsNoLongerKeptEndsTheConnection() {
    log.rules(Map.of("mailboxMessages", 2L, "maxBacklog", 2L)).connect("c1", 0L).messages(5).said();

    resync("c1", 1, true);

    assertThat(log.said()).containsExactly("close c1 4004");
    assertThat(log.box().clients().get(0).live()).isFalse();
  }

  @Test
  void bytesAcknowledgedAreCountedWhenTheirMessagesAreGone() {
    String payload = '"' + "x".repeat(98) + '"';
    log.rules(
        Map.of(
            "windowBytes", 4L * 228, "mailboxMessages", 2L, "maxBacklog", 2L, "dedupWindowMs", 1L));
    log.connect("c1", 0L);
    for (int i = 1; i <= 4; i++) {
      log.later(10).event(U, message("bob", "phone", "m" + i, payload));
    }
    log.said();

    log.ack("c1", 1);
    for (int i = 5; i <= 9; i++) {
      log.event(U, message("bob", "phone", "m" + i, payload));
    }

    // 1 and 2 are gone, so both count as acknowledged; 3 to 6 fill the window.
    assertThat(log.said())
        .containsExactly("message c1 5", "message c1 6", "held c1 6", "close c1 4004");
  }
}
