package dev.holdfast;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One JSON value as the bytes somebody wrote, in UTF-8. Payloads pass through the pipeline in this
 * form: never re-encoded, so numbers keep their digits. The array is not copied; nobody changes it.
 */
public final class RawJson {
  private final byte[] utf8;

  private RawJson(byte[] utf8) {
    this.utf8 = utf8;
  }

  /** Wraps bytes that are known to be one JSON value; they must not change afterwards. */
  public static RawJson of(byte[] utf8) {
    return new RawJson(utf8);
  }

  /** Wraps text that is known to be one JSON value. */
  public static RawJson of(String json) {
    return new RawJson(json.getBytes(StandardCharsets.UTF_8));
  }

  /** The value's bytes; not to be changed. */
  public byte[] utf8() {
    return utf8;
  }

  /** Length in bytes. */
  public int size() {
    return utf8.length;
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof RawJson other && Arrays.equals(utf8, other.utf8);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(utf8);
  }

  /** The JSON itself; do not log it, it is somebody's message. */
  @Override
  public String toString() {
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
