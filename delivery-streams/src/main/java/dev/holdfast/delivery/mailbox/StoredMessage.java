package dev.holdfast.delivery.mailbox;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.delivery.state.RowWriter;

/**
 * A message's row. Once the message itself is no longer kept, a stub without payload may stay for
 * as long as its identity is known.
 *
 * @param time the log's time when it was appended
 * @param bytesBefore cost of all messages before it in this mailbox, for byte windows
 * @param hash its identity
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and nobody changes the array.
record StoredMessage(long time, long bytesBefore, byte[] hash, String from, RawJson payload) {
  /** Bytes of a frame beside its payload, roughly. */
  static final int FRAME_OVERHEAD = 128;

  static StoredMessage read(byte[] row) {
    RowReader in = new RowReader(row);
    return new StoredMessage(
        in.number(), in.number(), in.bytes(), in.text(), RawJson.of(in.bytes()));
  }

  byte[] row() {
    return new RowWriter()
        .number(time)
        .number(bytesBefore)
        .bytes(hash)
        .text(from)
        .bytes(payload.utf8())
        .toBytes();
  }

  /** The row without what it said. */
  StoredMessage stub() {
    return new StoredMessage(time, bytesBefore, hash, from, RawJson.of(new byte[0]));
  }

  /** What it takes of a window's bytes. */
  int cost() {
    return payload.size() + FRAME_OVERHEAD;
  }
}
