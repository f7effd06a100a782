package dev.holdfast.edge.socket;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of one frame as they come in. Most frames come at once and are copied once; one in many
 * fragments costs time in proportion to its length, however small they are.
 */
final class FrameBytes {
  private static final byte[] NOTHING = new byte[0];

  private final int most;
  private byte[] bytes = NOTHING;
  private int length;

  /**
   * @param most bytes of the largest frame
   */
  FrameBytes(int most) {
    this.most = most;
  }

  /** Takes all of {@code chunk}; false when the frame is then too large, and its bytes are gone. */
  boolean add(ByteBuffer chunk) {
    int more = chunk.remaining();
    if (more > most - length) {
      bytes = NOTHING;
      length = 0;
      return false;
    }
    int needed = length + more;
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, Math.min(most, 2 * bytes.length)));
    }
    chunk.get(bytes, length, more);
    length = needed;
    return true;
  }

  /** What came so far; nobody adds afterwards. */
  byte[] toBytes() {
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }
}
