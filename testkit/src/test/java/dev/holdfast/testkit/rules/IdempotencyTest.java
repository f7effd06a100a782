package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.U;
import static dev.holdfast.testkit.rules.TestLog.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.record.Event;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One identity is one message, for as long as it is known. */
class IdempotencyTest {
  private final TestLog log = new TestLog().rules(Map.of("dedupWindowMs", 1_000L));
  private final Event first = message("bob", "phone", "1", "{\"a\":1}");

  @Test
  void theSameAgainChangesNothing() {
    log.event(U, first).event(U, first);

    assertThat(log.said()).containsExactly("repeat");
    assertThat(log.box().latest()).isEqualTo(1);
  }

  @Test
  void anotherPayloadIsAConflict() {
    log.event(U, first).event(U, message("bob", "phone", "1", "{\"a\":2}"));

    assertThat(log.said()).containsExactly("dead letter id_conflict");
    assertThat(log.box().latest()).isEqualTo(1);
  }

  @Test
  void atTheWindowsEdgeItIsStillKnown() {
    log.event(U, first).later(1_000).event(U, first);

    assertThat(log.box().latest()).isEqualTo(1);
  }

  @Test
  void beyondTheWindowItIsANewMessage() {
    log.event(U, first).later(1_001).event(U, first);

    assertThat(log.box().latest()).isEqualTo(2);
    assertThat(log.said()).isEmpty();
  }

  @Test
  void aRepeatDoesNotLengthenTheWindow() {
    log.event(U, first).later(800).event(U, first).later(800).event(U, first);

    assertThat(log.box().latest()).isEqualTo(2);
  }

  @Test
  void twoClientsMayBothCountFromOne() {
    log.event(U, first)
        .event(U, message("bob", "laptop", "1", "{\"a\":2}"))
        .event(U, message("eve", "phone", "1", "{\"a\":3}"));

    assertThat(log.said()).isEmpty();
    assertThat(log.box().latest()).isEqualTo(3);
  }

  @Test
  void eachMailboxKnowsItsOwn() {
    log.event(U, first).event("carl", first);

    assertThat(log.said()).isEmpty();
  }

  @Test
  void withoutAnIdEachRecordIsItself() {
    Event bare = message("backend", "", null, "1");
    log.event(U, bare).event(U, bare);

    assertThat(log.box().latest()).isEqualTo(2);
  }

  @Test
  void anIdentityOutlivesItsMessage() {
    log.rules(Map.of("mailboxMessages", 1L, "maxBacklog", 1L));
    log.event(U, first).messages(3).event(U, first);

    assertThat(log.box().first()).isEqualTo(4);
    assertThat(log.said()).containsExactly("repeat");
  }

  @Test
  void anOffsetThatWasAppliedChangesNothing() {
    log.event(U, first).connect("c1", 0L).said();
    long applied = log.nextOffset() - 1;

    log.again(applied, U, message("bob", "phone", "2", "1"));
    log.restart().again(applied, U, message("bob", "phone", "2", "1"));

    assertThat(log.said()).isEmpty();
    assertThat(log.box().latest()).isEqualTo(1);
  }
}
