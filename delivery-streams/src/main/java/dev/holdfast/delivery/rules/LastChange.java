package dev.holdfast.delivery.rules;

import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.presence.Lease;
import dev.holdfast.delivery.state.Partition;
import dev.holdfast.delivery.state.Rows;

/**
 * How far in the log rows are, as far as they tell it themselves.
 *
 * <p>How this works. A step that changes rows notes its offset in one of them: a message, connect,
 * disconnect, acknowledgement, leave, expiry or kick in the user's mailbox, a roster in its edge's
 * lease, a change of the rules in the partition's own row. What notes none is an event that changed
 * nothing, a suspicion, and the expiry that ends a mailbox; and each of these, applied once more to
 * rows that have it, changes nothing. So whoever goes on from behind the highest offset that rows
 * name gets what those get who go on from the place where the rows were taken, even where that is
 * some such events later.
 */
public final class LastChange {
  private static final byte[] FIRST = {1};
  private static final byte[] BEHIND_ALL = {0x7F};
  private static final byte LEASE = 3;
  private static final byte FIRST_OF_USERS = '-';

  private LastChange() {}

  /** The highest offset that a row names, or -1. Reads all rows. */
  public static long offset(Rows rows) {
    long[] last = {Partition.load(rows, 1).applied()};
    rows.scan(
        FIRST,
        BEHIND_ALL,
        (key, value) -> {
          if (key[0] == LEASE) {
            last[0] = Math.max(last[0], Lease.read(value).rosterOffset());
          } else if (key[0] >= FIRST_OF_USERS && ofMailbox(key)) {
            last[0] = Math.max(last[0], Mailbox.applied(value));
          }
          return true;
        });
    return last[0];
  }

  private static boolean ofMailbox(byte[] key) {
    int end = key.length - 2;
    if (end < 1 || key[end] != 0 || key[end + 1] != 'z') {
      return false;
    }
    for (int i = 0; i < end; i++) {
      if (key[i] == 0) {
        return false; // an identity may end in any two bytes
      }
    }
    return true;
  }
}
