package dev.holdfast.delivery.mailbox;

import dev.holdfast.delivery.idempotency.Idempotency;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.record.Rules;
import org.jspecify.annotations.Nullable;

/**
 * How long messages and their identities are kept: messages by count and age, identities by their
 * own window. Each step does a bounded part of the work, so one event never pays for thousands.
 */
final class Retention {
  private final Rows rows;

  Retention(Rows rows) {
    this.rows = rows;
  }

  /** Drops at most {@code budget} rows that are no longer kept. */
  void trim(Mailbox box, Rules rules, long now, int budget) {
    int left = dropMessages(box, rules, now, budget);
    while (left-- > 0 && box.rowTail < box.first && dropStub(box, rules, now)) {
      // The condition does the work: the lowest stub goes as soon as its identity may be forgotten.
    }
  }

  private int dropMessages(Mailbox box, Rules rules, long now, int budget) {
    int left = budget;
    while (left > 0 && box.first <= box.latest && tooManyOrOld(box, rules, now)) {
      StoredMessage message = read(box, box.first);
      if (message != null) {
        if (now - message.time() > rules.dedupWindowMs()) {
          remove(box, box.first, message);
        } else {
          rows.put(Keys.message(box.user, box.first), message.stub().row());
        }
      }
      if (message == null || now - message.time() > rules.dedupWindowMs()) {
        box.rowTail = box.rowTail == box.first ? box.first + 1 : box.rowTail;
      }
      box.first++;
      StoredMessage next = read(box, box.first);
      box.firstTime = next == null ? 0 : next.time();
      left--;
    }
    return left;
  }

  private static boolean tooManyOrOld(Mailbox box, Rules rules, long now) {
    return box.latest - box.first + 1 > rules.mailboxMessages()
        || now - box.firstTime > rules.mailboxAgeMs();
  }

  private boolean dropStub(Mailbox box, Rules rules, long now) {
    StoredMessage stub = read(box, box.rowTail);
    if (stub != null && now - stub.time() <= rules.dedupWindowMs()) {
      return false;
    }
    if (stub != null) {
      remove(box, box.rowTail, stub);
    }
    box.rowTail++;
    return true;
  }

  private void remove(Mailbox box, long seq, StoredMessage message) {
    rows.delete(Keys.message(box.user, seq));
    Idempotency.forget(rows, box.user, message.hash(), seq);
  }

  private @Nullable StoredMessage read(Mailbox box, long seq) {
    byte @Nullable [] row = rows.get(Keys.message(box.user, seq));
    return row == null ? null : StoredMessage.read(row);
  }
}
