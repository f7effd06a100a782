package dev.holdfast.delivery.idempotency;

import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.delivery.state.RowWriter;
import dev.holdfast.delivery.state.Rows;
import org.jspecify.annotations.Nullable;

/**
 * Which message identities a mailbox knows. Whether a row still counts is judged from the time in
 * it, never from whether it is still there.
 */
public final class Idempotency {
  /** What became of a message under an identity. */
  public enum Verdict {
    FRESH,
    /** The same message again. */
    REPEAT,
    /** Another message under the same identity. */
    CONFLICT
  }

  private Idempotency() {}

  /** The clientMsgId of a message that came without one: its place in the log. */
  public static String nameOf(int partition, long offset) {
    return "log:" + partition + ':' + offset;
  }

  /**
   * Judges a message.
   *
   * @param hash the identity, {@link dev.holdfast.id.MessageId#hash}
   * @param digest of its payload
   * @param now the log's time
   * @param windowMs how long an identity is known
   */
  public static Verdict judge(
      Rows rows, String user, byte[] hash, long digest, long now, long windowMs) {
    byte @Nullable [] row = rows.get(Keys.identity(user, hash));
    if (row == null) {
      return Verdict.FRESH;
    }
    RowReader in = new RowReader(row);
    in.number();
    long time = in.number();
    if (now - time > windowMs) {
      return Verdict.FRESH;
    }
    return in.number() == digest ? Verdict.REPEAT : Verdict.CONFLICT;
  }

  /** Remembers that the message got {@code seq}. */
  public static void remember(
      Rows rows, String user, byte[] hash, long digest, long seq, long now) {
    rows.put(
        Keys.identity(user, hash),
        new RowWriter().number(seq).number(now).number(digest).toBytes());
  }

  /** Forgets the identity, unless a later message has taken it over. */
  public static void forget(Rows rows, String user, byte[] hash, long seq) {
    byte[] key = Keys.identity(user, hash);
    byte @Nullable [] row = rows.get(key);
    if (row != null && new RowReader(row).number() == seq) {
      rows.delete(key);
    }
  }
}
