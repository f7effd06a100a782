package dev.holdfast.delivery.rules;

import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.record.Event;
import dev.holdfast.record.Rules;

/**
 * What becomes of a record that lies on a wrong partition: it moves once, under an identity that
 * all its copies share (D1). Who rebuilds from the log moves it again, perhaps days later.
 */
public final class Forwards {
  /**
   * Milliseconds by which two brokers' clocks may differ: the original has its time from one of
   * them, the copies have theirs from another.
   */
  private static final long CLOCKS_MS = 60_000;

  private Forwards() {}

  /**
   * The event as it moves: a message without an id of its own is named after its place.
   *
   * @param origin topic id, partition and offset of the original
   */
  public static Event named(Event event, String origin) {
    return event instanceof Event.Message m && m.clientMsgId() == null
        ? new Event.Message(m.from(), m.clientId(), origin, m.payload())
        : event;
  }

  /**
   * Whether a copy comes so late that it might no longer be recognised as a repeat of an earlier
   * one.
   *
   * @param originMs append time of the original, milliseconds since 1970
   * @param at the copy's place
   */
  public static boolean tooOld(long originMs, LogPosition at, Rules rules) {
    long window = rules.dedupWindowMs();
    return at.timestamp() - originMs > window - Math.min(CLOCKS_MS, window / 4);
  }
}
