package dev.holdfast.testkit.sim;

import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.record.Event;
import dev.holdfast.record.Rules;
import org.jspecify.annotations.Nullable;

/**
 * A proposal changes nothing before its time, whatever its proposer's clock says. Judged by when
 * things really happened; the brokers' clocks differ a little, and that much is allowed for.
 */
final class TimelyCheck {
  private static final long SLACK_MS = 2 * SimLog.MAX_SKEW_MS;

  private final MemoryRows rows;
  private @Nullable Mailbox box;
  private long oldestTime;

  TimelyCheck(MemoryRows rows) {
    this.rows = rows;
  }

  void before(SimLog.Entry entry) {
    if (!proposal(entry)) {
      return;
    }
    Mailbox found = Mailbox.load(rows, entry.user());
    box = found;
    byte @Nullable [] oldest =
        found == null ? null : rows.get(Keys.message(entry.user(), found.first()));
    oldestTime = oldest == null ? 0 : new RowReader(oldest).number();
  }

  /**
   * Compares.
   *
   * @param rules those that the step went by
   */
  void after(SimLog.Entry entry, Rules rules) {
    Mailbox old = box;
    if (!proposal(entry) || old == null) {
      return;
    }
    Mailbox now = Mailbox.load(rows, entry.user());
    if (now == null) {
      require(entry, "forgotten", old.time(), rules.mailboxIdleMs());
      return;
    }
    if (old.online() && !now.online()) {
      require(entry, "offline", old.leavingSince(), rules.leaveDelayMs());
    }
    boolean tooMany = old.latest() - old.first() >= rules.mailboxMessages();
    if (now.first() > old.first() && !tooMany) {
      require(entry, "rid of its oldest message", oldestTime, rules.mailboxAgeMs());
    }
  }

  private static boolean proposal(SimLog.Entry entry) {
    return entry.event() instanceof Event.Leave || entry.event() instanceof Event.Expire;
  }

  private static void require(SimLog.Entry entry, String what, long since, long delayMs) {
    long waited = entry.realMs() - since;
    if (waited < delayMs - SLACK_MS) {
      throw new Violation(
          String.join(
              " ", entry.user(), "is", what, "after", waited + " ms instead of", delayMs + " ms"));
    }
  }
}
