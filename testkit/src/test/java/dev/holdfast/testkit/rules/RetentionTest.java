package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.EDGE;
import static dev.holdfast.testkit.rules.TestLog.U;
import static dev.holdfast.testkit.rules.TestLog.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.rules.Proposals;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is kept and for how long. */
class RetentionTest {
  private final TestLog log = new TestLog();

  private TestLog expire() {
    return log.event(U, new Event.Expire());
  }

  @Test
  void onlySoManyMessagesAreKept() {
    log.rules(Map.of("mailboxMessages", 3L, "maxBacklog", 3L)).messages(10);

    assertThat(log.box().first()).isEqualTo(8);
    assertThat(log.box().latest()).isEqualTo(10);
  }

  @Test
  void oldMessagesAreDroppedByAppendsAndByExpire() {
    log.rules(Map.of("mailboxAgeMs", 1_000L)).messages(6).later(1_001).messages(1);
    assertThat(log.box().first()).isEqualTo(5);

    expire();

    assertThat(log.box().first()).isEqualTo(7);
  }

  @Test
  void identitiesStayForTheirWindowThoughTheMessageIsGone() {
    log.rules(Map.of("mailboxAgeMs", 1_000L, "dedupWindowMs", 5_000L));
    Event event = message("bob", "phone", "1", "1");
    log.event(U, event).later(2_000);
    expire().event(U, event);
    assertThat(log.said()).containsExactly("repeat");

    log.later(3_001);
    expire();

    assertThat(log.rows.get(Keys.identity(U, MessageId.hash("bob", "phone", "1")))).isNull();
    assertThat(log.rows.get(Keys.message(U, 1))).isNull();
  }

  @Test
  void anIdentityThatALaterMessageTookOverStays() {
    log.rules(Map.of("mailboxAgeMs", 10_000L, "dedupWindowMs", 1_000L));
    Event event = message("bob", "phone", "1", "1");
    log.event(U, event).later(9_500).event(U, event).later(700);

    expire().event(U, event);

    assertThat(log.box().first()).isEqualTo(2);
    assertThat(log.said()).containsExactly("repeat");
  }

  @Test
  void expireTooEarlyOrTwiceChangesNothing() {
    log.messages(2);

    expire();
    expire().event("nobody", new Event.Expire());

    assertThat(log.box().first()).isEqualTo(1);
    assertThat(log.said()).isEmpty();
  }

  @Test
  void anIdleEmptyMailboxGoesAndTheNextOneHasAnotherEpoch() {
    log.rules(Map.of("mailboxAgeMs", 1_000L, "dedupWindowMs", 1_000L, "mailboxIdleMs", 5_000L));
    log.messages(1).connect("c1", 0L).disconnect("c1");
    String epoch = log.box().epoch();
    log.later(20_000).event(U, new Event.Leave());
    expire();
    assertThat(Mailbox.load(log.rows, U)).isNotNull();

    log.later(6_000);
    expire();
    assertThat(Mailbox.load(log.rows, U)).isNull();

    log.said();
    log.event(U, TestLog.connect("phone", "c2", EDGE, 1L, epoch, null));
    assertThat(log.said()).containsExactly("welcome c2 epoch", "sync c2 0");
    assertThat(log.box().epoch()).isNotEqualTo(epoch);
  }

  @Test
  void aMailboxWithAConnectionStays() {
    log.rules(Map.of("mailboxIdleMs", 1_000L)).connect("c1", 0L).later(10_000);

    expire();

    assertThat(log.box().anyLive()).isTrue();
  }

  @Test
  void expireIsProposedForWhatIsOverdue() {
    log.rules(Map.of("mailboxAgeMs", 1_000L, "dedupWindowMs", 1_000L)).messages(1);
    Proposals proposals = new Proposals(log.rows);
    Proposals.Proposal proposal = new Proposals.Proposal(U, new Event.Expire());

    assertThat(proposals.due(log.now() + 1_000, log.rules())).isEmpty();
    proposals.due(log.now() + 1_000, log.rules());
    assertThat(new Proposals(log.rows).due(log.now() + 1_001, log.rules()))
        .containsExactly(proposal);
  }

  @Test
  void aUsersTimeNeverGoesBack() {
    log.rules(Map.of("dedupWindowMs", 1_000L, "resumeTtlMs", 500L));
    Event event = message("bob", "phone", "1", "1");
    log.event(U, event).later(-100_000).event(U, event).later(100_500).event(U, event);
    assertThat(log.said()).containsExactly("repeat", "repeat");

    log.later(-50_000).message("2").later(50_000).connect("c1", 0L);

    assertThat(log.said().get(0)).isEqualTo("welcome c1 resumed");
    assertThat(log.box().time()).isEqualTo(log.now());
  }
}
