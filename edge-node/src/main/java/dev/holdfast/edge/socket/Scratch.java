package dev.holdfast.edge.socket;

import java.nio.ByteBuffer;

/** A buffer of each I/O thread, for bytes that are looked at or copied at once and not kept. */
final class Scratch {
  private static final int BYTES = 16 * 1024;
  private static final ThreadLocal<ByteBuffer> BUFFER =
      ThreadLocal.withInitial(() -> ByteBuffer.allocate(BYTES));

  private Scratch() {}

  /** This thread's buffer, empty; what it held before is gone. */
  static ByteBuffer cleared() {
    return BUFFER.get().clear();
  }
}
