package dev.holdfast.delivery.mailbox;

import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.Event;
import dev.holdfast.record.HistoryPage;
import org.jspecify.annotations.Nullable;

/**
 * Answers who asks for a part of a mailbox. Reads rows and changes none; how much it reads is
 * bounded by the page.
 */
public final class History {
  private final Rows rows;
  private final Effects effects;

  public History(Rows rows, Effects effects) {
    this.rows = rows;
    this.effects = effects;
  }

  /**
   * Delivers the page that begins behind {@code query.after()}, or at the oldest message that is
   * kept. Who means a mailbox of another epoch gets none of its messages.
   *
   * @param box the user's mailbox; null where there is none
   */
  public void answer(String user, @Nullable Mailbox box, Event.Query query) {
    HistoryPage page =
        box == null
            ? new HistoryPage(null, 0, 1, query.limit())
            : new HistoryPage(box.epoch, box.latest, box.first, query.limit());
    boolean more = box != null && meant(box, query) && fill(page, box, query.after());
    effects.deliver(
        new Delivery(
            Delivery.Kind.HISTORY, query.edge(), user, query.queryId(), 0, page.json(more)));
  }

  private static boolean meant(Mailbox box, Event.Query query) {
    return query.epoch() == null || query.epoch().equals(box.epoch);
  }

  /** Returns whether messages are left over. */
  private boolean fill(HistoryPage page, Mailbox box, long after) {
    // In this order: after may be as large as a number can be.
    long from = after < box.first ? box.first : after >= box.latest ? box.latest + 1 : after + 1;
    long[] next = {from};
    rows.scan(
        Keys.message(box.user, from),
        Keys.message(box.user, box.latest + 1),
        (key, value) -> {
          StoredMessage m = StoredMessage.read(value);
          boolean added =
              page.add(next[0], MessageId.text(m.hash()), m.from(), m.time(), m.payload());
          next[0] += added ? 1 : 0;
          return added && next[0] <= box.latest;
        });
    return next[0] <= box.latest;
  }
}
