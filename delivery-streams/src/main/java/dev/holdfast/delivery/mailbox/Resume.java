package dev.holdfast.delivery.mailbox;

import dev.holdfast.record.Event;
import dev.holdfast.record.Rules;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Why a hello's cursor can or cannot be continued; the order of the checks is the contract's. */
public enum Resume {
  RESUMED,
  /** The client never had a cursor. */
  NEW,
  /** Its cursor belongs to a mailbox that is no more. */
  EPOCH,
  /** Its cursor is ahead of the mailbox. */
  AHEAD,
  /** Something it missed is no longer kept, or it missed more than {@code maxBacklog}. */
  GAP,
  /** What it missed is older than {@code resumeTtl}. */
  EXPIRED;

  /** The reason on the wire; null when resumed. */
  public @Nullable String reason() {
    return this == RESUMED ? null : name().toLowerCase(Locale.ROOT);
  }

  /**
   * Whether the hello's cursor is one of this mailbox, though not all behind it may be sent. It
   * then says what the client has; what was sent to it on a connection that it may never have seen
   * does not.
   */
  boolean knowsCursor() {
    return this == RESUMED || this == GAP || this == EXPIRED;
  }

  static Resume decide(Mailbox box, Event.Connect hello, Flow flow, Rules rules, long now) {
    Long lastSeq = hello.lastSeq();
    if (lastSeq == null) {
      return NEW;
    }
    if (hello.epoch() != null && !box.epoch.equals(hello.epoch())) {
      return EPOCH;
    }
    if (lastSeq > box.latest) {
      return AHEAD;
    }
    if (lastSeq == box.latest) {
      return RESUMED;
    }
    if (lastSeq + 1 < box.first || box.latest - lastSeq > rules.maxBacklog()) {
      return GAP;
    }
    StoredMessage missed = flow.message(box, lastSeq + 1);
    if (missed == null || now - missed.time() > rules.mailboxAgeMs()) {
      return GAP;
    }
    return now - missed.time() > rules.resumeTtlMs() ? EXPIRED : RESUMED;
  }
}
