package dev.holdfast.delivery.presence;

import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.record.Rules;

/** Who is online: at once with a connection, no longer some time after the last one went (D15). */
public final class Presence {
  private static final byte[] NOTHING = {};

  private final Rows rows;
  private final Effects effects;

  public Presence(Rows rows, Effects effects) {
    this.rows = rows;
    this.effects = effects;
  }

  /** A connection came. */
  public void came(Mailbox box, LogPosition at) {
    if (box.leavingSince() != 0) {
      rows.delete(Keys.leaving(box.leavingSince(), box.user()));
      box.leaving(0);
    }
    box.status(true, box.time());
    tell(box, at);
  }

  /** A connection went; with the last one the user begins to leave. */
  public void went(Mailbox box, LogPosition at) {
    if (box.anyLive()) {
      tell(box, at);
    } else if (box.leavingSince() == 0) {
      box.leaving(box.time());
      rows.put(Keys.leaving(box.time(), box.user()), NOTHING);
    }
  }

  /** The edge behind the user's connection is gone: no grace if it was the last one. */
  public void lapsed(Mailbox box, LogPosition at) {
    if (!box.anyLive()) {
      offline(box);
    }
    tell(box, at);
  }

  /**
   * A proposal to call the user offline; heeded when the grace is over and nobody came back.
   *
   * @return whether anything changed
   */
  public boolean leave(Mailbox box, LogPosition at, Rules rules) {
    long since = box.leavingSince();
    if (since == 0 || box.anyLive() || at.timestamp() - since < rules.leaveDelayMs()) {
      return false;
    }
    box.now(at);
    offline(box);
    tell(box, at);
    return true;
  }

  /**
   * Tells what was told long ago once more: {@code holdfast.presence} deletes old records, and whom
   * it has no record of is offline. Only the record's time and {@code rev} differ from the last.
   */
  public void tellAgain(Mailbox box, LogPosition at) {
    if (box.toldLongAgo(at.timestamp())) {
      tell(box, at);
    }
  }

  private void offline(Mailbox box) {
    if (box.leavingSince() != 0) {
      rows.delete(Keys.leaving(box.leavingSince(), box.user()));
      box.leaving(0);
    }
    box.status(false, box.time());
  }

  private void tell(Mailbox box, LogPosition at) {
    box.told(at.timestamp());
    effects.presence(box.user(), PresenceRecord.of(box, at.offset()));
  }
}
