package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.EDGE;
import static dev.holdfast.testkit.rules.TestLog.U;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.record.Event;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A scan costs what it finds: it never walks over what others have deleted (D5). */
class ScansTest {
  private final TestLog log = new TestLog();

  @Test
  void aResumeReadsWhatWasMissedAndNoNeighboursGraves() {
    log.rules(
        Map.of(
            "mailboxMessages", 1L, "maxBacklog", 1L, "dedupWindowMs", 1L, "mailboxAgeMs", 10_000L));
    for (int i = 0; i < 200; i++) {
      log.later(10).event("anna", TestLog.message("bob", "phone", "a" + i, "1"));
      log.event("an", TestLog.message("bob", "phone", "a" + i, "1"));
    }
    log.message("1").rows.walked();

    log.connect("c1", 0L);

    assertThat(log.said()).contains("message c1 1");
    assertThat(log.rows.walked()).isEqualTo(Map.of("rows", 1));
  }

  @Test
  void aListIsComparedWithoutWalkingOverOldConnections() {
    log.connect("c1", 0L);
    for (int i = 0; i < 50; i++) {
      String user = "user" + i;
      log.event(user, TestLog.connect("phone", "x" + i, TestLog.OTHER, 0L, null, null));
      log.event(user, new Event.Disconnect("phone", "x" + i, TestLog.OTHER, "test"));
    }
    log.rows.walked();

    log.list(EDGE, new Event.Roster.Entry(U, "phone", "c1"));

    assertThat(log.rows.walked()).isEqualTo(Map.of("rows", 1));
  }
}
