package dev.holdfast.testkit.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.delivery.rules.DeliveryRules;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Limits that decide a mailbox's content come from the log (D2). */
class RulesChangeTest {
  private final TestLog log = new TestLog();

  @Test
  void newRulesHoldFromThereOnAlsoForTheNextInstance() {
    log.messages(5).rules(Map.of("mailboxMessages", 2L, "maxBacklog", 2L)).restart();
    assertThat(log.box().first()).isEqualTo(1);

    log.messages(1);

    assertThat(log.rules().mailboxMessages()).isEqualTo(2);
    assertThat(log.box().first()).isEqualTo(5);
  }

  @Test
  void aVersionThatIsNotKnownStopsTheInstanceAndChangesNothing() {
    log.messages(1);

    assertThatThrownBy(() -> log.rules(Map.of("version", 2L)))
        .isInstanceOf(DeliveryRules.UnknownRules.class)
        .hasMessageContaining("version 2");
    assertThat(log.restart().rules().version()).isEqualTo(1);
  }

  @Test
  void aRestartBeforeTheChangeLeavesTheSameRows() {
    TestLog other = new TestLog().messages(7).restart();

    other.rules(Map.of("window", 100L));
    log.messages(7).rules(Map.of("window", 100L));

    assertThat(log.rows.memory().difference(other.rows.memory())).isNull();
  }
}
