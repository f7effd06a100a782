package dev.holdfast.delivery.state;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads what {@link RowWriter} wrote, in the same order. */
public final class RowReader {
  private final byte[] bytes;
  private int at;

  public RowReader(byte[] bytes) {
    this.bytes = bytes;
  }

  public long number() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = bytes[at++];
      value |= (long) (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }

  /** Whether anything is left: rows of earlier builds lack what was added to their end. */
  public boolean more() {
    return at < bytes.length;
  }

  /** A number that was written from an int. */
  public int integer() {
    return (int) number();
  }

  public boolean flag() {
    return number() != 0;
  }

  public String text() {
    int length = integer();
    String text = new String(bytes, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }

  public @Nullable String optionalText() {
    return flag() ? text() : null;
  }

  public @Nullable Long optionalNumber() {
    return flag() ? number() : null;
  }

  public byte[] bytes() {
    int length = integer();
    byte[] value = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return value;
  }
}
