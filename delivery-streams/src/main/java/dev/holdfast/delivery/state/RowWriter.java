package dev.holdfast.delivery.state;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Writes a row: variable-length integers and texts, one after the other. */
public final class RowWriter {
  private byte[] bytes = new byte[160];
  private int length;

  /** Small numbers take few bytes; negative ones take ten. */
  public RowWriter number(long value) {
    ensure(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
    return this;
  }

  public RowWriter text(String value) {
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /** A text that may be absent. */
  public RowWriter optional(@Nullable String value) {
    return value == null ? flag(false) : flag(true).text(value);
  }

  /** A number that may be absent. */
  public RowWriter optional(@Nullable Long value) {
    return value == null ? flag(false) : flag(true).number(value);
  }

  public RowWriter flag(boolean value) {
    return number(value ? 1 : 0);
  }

  public RowWriter bytes(byte[] value) {
    number(value.length);
    ensure(value.length);
    System.arraycopy(value, 0, bytes, length, value.length);
    length += value.length;
    return this;
  }

  /** The row so far. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  private void ensure(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }
}
