package dev.holdfast.testkit.sim;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.mailbox.Client;
import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.id.MessageId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What must hold for a mailbox after every step of one instance. */
final class MailboxCheck {
  private record Seen(String epoch, long latest) {}

  private final MemoryRows rows;
  private final Ledger ledger;
  private final Map<String, Seen> seen = new HashMap<>();

  MailboxCheck(MemoryRows rows, Ledger ledger) {
    this.rows = rows;
    this.ledger = ledger;
  }

  /** The user's mailbox as it is now. */
  void afterStep(String user) {
    Mailbox box = Mailbox.load(rows, user);
    if (box == null) {
      return;
    }
    cursors(box);
    Seen before = seen.get(user);
    long known = before == null || !before.epoch().equals(box.epoch()) ? -1 : before.latest();
    // An instance that has just begun finds what others checked; whole() looks at all of it.
    long from = Math.max(box.first(), known < 0 ? box.latest() : known + 1);
    if (known != box.latest()) {
      seen.put(user, new Seen(box.epoch(), box.latest()));
    }
    if (box.first() <= box.latest()) {
      require(box.first(), box);
      require(box.latest(), box);
    }
    for (long seq = from; seq <= box.latest(); seq++) {
      record(box, seq, require(seq, box));
    }
  }

  /** Every row of the mailbox, which is slow. */
  void whole(String user) {
    Mailbox box = Mailbox.load(rows, user);
    if (box != null) {
      for (long seq = box.first(); seq <= box.latest(); seq++) {
        record(box, seq, require(seq, box));
      }
    }
  }

  private static void cursors(Mailbox box) {
    if (box.first() < 1 || box.first() > box.latest() + 1) {
      throw new Violation(box.user() + " keeps " + box.first() + ".." + box.latest());
    }
    for (Client c : box.clients()) {
      if (c.acked() < 0 || c.acked() > c.sent() || c.sent() > box.latest()) {
        throw new Violation(
            String.join(
                " ",
                c.clientId() + " of " + box.user() + ": acked " + c.acked(),
                "sent " + c.sent(),
                "assigned " + box.latest()));
      }
      if (c.live() && c.sent() + 1 < box.first()) {
        throw new Violation(
            c.clientId() + " is live behind what is kept: " + c.sent() + ", " + box.first());
      }
    }
  }

  private byte[] require(long seq, Mailbox box) {
    byte @Nullable [] row = rows.get(Keys.message(box.user(), seq));
    if (row == null) {
      throw new Violation("a gap in the mailbox of " + box.user() + " at " + seq);
    }
    return row;
  }

  private void record(Mailbox box, long seq, byte[] row) {
    RowReader in = new RowReader(row);
    long time = in.number();
    in.number();
    byte[] hash = in.bytes();
    in.text();
    ledger.stored(
        new Ledger.Line(box.user(), box.epoch()),
        seq,
        MessageId.text(hash),
        RawJson.of(in.bytes()).toString(),
        time);
  }
}
