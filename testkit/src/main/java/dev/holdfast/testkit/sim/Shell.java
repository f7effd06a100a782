package dev.holdfast.testkit.sim;

import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.rules.Forwards;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.delivery.state.RowWriter;
import dev.holdfast.record.Event;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the shell around the rules does with a record, alike in an instance and in a replay: one
 * that lies on a wrong partition is moved, an old copy of one is not taken, all others are applied.
 */
final class Shell {
  private final MemoryRows rows;
  private final DeliveryRules rules;
  private final SimLog log;
  private final Variant variant;

  Shell(MemoryRows rows, DeliveryRules rules, SimLog log, Variant variant) {
    this.rows = rows;
    this.rules = rules;
    this.log = log;
    this.variant = variant;
  }

  /**
   * Applies a record.
   *
   * @param at its place; the record's own but for mistakes made on purpose
   * @param forward takes the event to append where the record belongs
   */
  void apply(SimLog.Entry entry, LogPosition at, Consumer<Event> forward) {
    if (entry.event().keyed() && log.home(entry.user()) != at.partition()) {
      if (!entry.moved()) {
        String origin = "topic:" + at.partition() + ':' + at.offset();
        forward.accept(Forwards.named(entry.event(), origin));
      }
      rules.skip(at);
    } else if (entry.moved()
        && Forwards.tooOld(entry.originMs(), at, rules.rules())
        && variant != Variant.OLD_COPIES_TAKEN) {
      rules.skip(at);
    } else if (variant == Variant.CONNECT_IS_NO_SIGN_OF_LIFE
        && entry.event() instanceof Event.Connect connect) {
      connectWithoutSign(entry, at, connect);
    } else {
      rules.step(at, entry.user(), entry.event());
    }
  }

  /** As it once was: the lease counts the connection, and stays as silent as before. */
  private void connectWithoutSign(SimLog.Entry entry, LogPosition at, Event.Connect connect) {
    byte[] key = Keys.lease(connect.edge().key());
    byte @Nullable [] before = rows.get(key);
    rules.step(at, entry.user(), entry.event());
    byte @Nullable [] after = rows.get(key);
    if (before == null || after == null) {
      return;
    }
    RowReader old = new RowReader(before);
    RowReader now = new RowReader(after);
    RowWriter out = new RowWriter();
    out.text(now.text()).text(now.text()).number(now.number());
    old.text();
    old.text();
    old.number();
    for (int i = 0; i < 3; i++) {
      now.number();
      out.number(old.number());
    }
    rows.put(key, out.number(now.number()).number(now.number()).toBytes());
  }
}
