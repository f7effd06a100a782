package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.EDGE;
import static dev.holdfast.testkit.rules.TestLog.U;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a hello's cursor is judged, in the contract's order. */
class ResumeTest {
  private final TestLog log = new TestLog();

  @BeforeEach
  void givenSixMessagesOfWhichFourAreKept() {
    log.rules(Map.of("mailboxMessages", 4L, "maxBacklog", 3L, "resumeTtlMs", 1_000L)).messages(6);
  }

  @Test
  void withoutCursorIsNewEvenWithAForeignEpoch() {
    log.event(U, TestLog.connect("phone", "c1", EDGE, null, "other", null));

    assertThat(log.said()).containsExactly("welcome c1 new", "sync c1 6");
    assertThat(log.welcome().seq()).isEqualTo(6);
    assertThat(log.welcome().from()).isEqualTo(6);
    assertThat(log.welcome().unread()).isEqualTo(4);
  }

  @Test
  void aForeignEpochComesBeforeACursorAhead() {
    log.event(U, TestLog.connect("phone", "c1", EDGE, 99L, "other", null));

    assertThat(log.said()).containsExactly("welcome c1 epoch", "sync c1 6");
  }

  @Test
  void aCursorAhead() {
    log.event(U, TestLog.connect("phone", "c1", EDGE, 7L, log.box().epoch(), null));

    assertThat(log.said()).containsExactly("welcome c1 ahead", "sync c1 6");
  }

  @Test
  void whatIsNoLongerKeptIsAGapEvenWhenTooOld() {
    log.later(5_000).connect("c1", 1L);

    assertThat(log.said()).containsExactly("welcome c1 gap", "sync c1 6");
  }

  @Test
  void moreThanTheBacklogIsAGap() {
    log.connect("c1", 2L);

    assertThat(log.said()).containsExactly("welcome c1 gap", "sync c1 6");
  }

  @Test
  void tooOldIsExpired() {
    log.later(1_001).connect("c1", 3L);

    assertThat(log.said()).containsExactly("welcome c1 expired", "sync c1 6");
  }

  @Test
  void otherwiseEverythingMissedFollows() {
    log.later(1_000).event(U, TestLog.connect("phone", "c1", EDGE, 3L, log.box().epoch(), null));

    assertThat(log.said())
        .containsExactly(
            "welcome c1 resumed", "message c1 4", "message c1 5", "message c1 6", "sync c1 6");
    assertThat(log.welcome().ackSeq()).isEqualTo(3);
    assertThat(log.frame()).doesNotContain("redelivered");
  }

  @Test
  void nothingMissedIsResumedHoweverOld() {
    log.later(900_000).connect("c1", 6L);

    assertThat(log.said()).containsExactly("welcome c1 resumed", "sync c1 6");
  }

  @Test
  void zeroGivesAUserWhoWasNeverOnlineEverything() {
    TestLog fresh = new TestLog().messages(2).connect("c1", 0L);

    assertThat(fresh.said())
        .containsExactly("welcome c1 resumed", "message c1 1", "message c1 2", "sync c1 2");
  }

  @Test
  void zeroOfAnEmptyMailboxIsResumed() {
    TestLog fresh = new TestLog().connect("c1", 0L);

    assertThat(fresh.said()).containsExactly("welcome c1 resumed", "sync c1 0");
  }

  @Test
  void helloMovesTheCursorBackAndTheFramesSaySo() {
    log.connect("c1", 4L).ack("c1", 6).said();

    log.connect("c2", 5L);

    assertThat(log.said())
        .containsExactly("close c1 4002", "welcome c2 resumed", "message c2 6", "sync c2 6");
    assertThat(log.frame()).contains("\"redelivered\":true");
  }

  @Test
  void afterAGapWhatTheClientLacksIsUnreadHoweverOftenItAsks() {
    for (String conn : new String[] {"c1", "c2"}) {
      log.connect(conn, 1L);

      assertThat(log.said()).contains("welcome " + conn + " gap");
      assertThat(log.welcome().ackSeq()).isEqualTo(1);
      assertThat(log.welcome().unread()).isEqualTo(4); // of five missed, four are kept
      assertThat(log.sync()).isEqualTo("{\"type\":\"sync\",\"cursor\":6}");
    }
  }

  @Test
  void whatIsTooOldIsUnreadAllTheSame() {
    log.later(1_001).connect("c1", 3L).connect("c2", 3L);

    assertThat(log.said()).contains("welcome c2 expired");
    assertThat(log.welcome().unread()).isEqualTo(3);
  }

  @Test
  void unreadCountsFromWhatTheClientResumesWith() {
    log.connect("c1", 3L).ack("c1", 6).connect("c2", 4L);
    assertThat(log.welcome().ackSeq()).isEqualTo(4);
    assertThat(log.welcome().unread()).isEqualTo(2);

    log.connect("c3", 6L);
    assertThat(log.welcome().unread()).isZero();
  }

  @Test
  void withoutACursorUnreadCountsFromWhatTheClientAcknowledged() {
    log.connect("c1", 3L).ack("c1", 5).connect("c2", null);

    assertThat(log.welcome().ackSeq()).isEqualTo(5);
    assertThat(log.welcome().unread()).isEqualTo(1);
  }

  @Test
  void aSyncThatComesLaterSaysWhatIsUnreadByThen() {
    log.rules(Map.of("windowStart", 2L)).connect("c1", 3L);
    assertThat(log.said()).contains("welcome c1 resumed").doesNotContain("sync c1 6");
    assertThat(log.welcome().unread()).isEqualTo(3);

    log.ack("c1", 4);

    assertThat(log.said()).contains("sync c1 6");
    assertThat(log.sync()).isEqualTo("{\"type\":\"sync\",\"cursor\":6,\"unread\":2}");
  }

  @Test
  void aSyncAtOnceAddsNothingToTheWelcome() {
    log.connect("c1", 3L);

    assertThat(log.said()).contains("sync c1 6");
    assertThat(log.sync()).isEqualTo("{\"type\":\"sync\",\"cursor\":6}");
  }
}
