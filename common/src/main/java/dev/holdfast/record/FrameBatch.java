package dev.holdfast.record;

import java.util.Arrays;
import java.util.List;

/**
 * The value of a {@link Delivery.Kind#MESSAGE}: one frame, or several of one connection with
 * consecutive seqs, so that a backlog costs few records. Between two frames stands an RS, as in
 * JSON text sequences (RFC 7464); it cannot occur within JSON, so nothing need be parsed to find
 * it.
 */
public final class FrameBatch {
  private static final byte RS = 0x1E;

  private FrameBatch() {}

  /** The value that carries {@code frames}, at least one. */
  public static byte[] join(List<byte[]> frames) {
    if (frames.size() == 1) {
      return frames.get(0);
    }
    int length = -1;
    for (byte[] frame : frames) {
      length += 1 + frame.length;
    }
    byte[] value = new byte[length];
    int at = 0;
    for (byte[] frame : frames) {
      System.arraycopy(frame, 0, value, at, frame.length);
      at += frame.length;
      if (at < length) {
        value[at++] = RS;
      }
    }
    return value;
  }

  /** Where the frame that begins at {@code from} ends; the next one begins one after that. */
  public static int end(byte[] value, int from) {
    int at = from;
    while (at < value.length && value[at] != RS) {
      at++;
    }
    return at;
  }

  /** The frame in {@code [from, end)}; the value itself where that is all of it. */
  public static byte[] frame(byte[] value, int from, int end) {
    return from == 0 && end == value.length ? value : Arrays.copyOfRange(value, from, end);
  }
}
