package dev.holdfast.edge.socket;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Percent-encoding (RFC 3986), read strictly: what is no UTF-8 would otherwise become another name.
 */
final class Percent {
  private static final int HEX = 16;

  private Percent() {}

  /**
   * What the text stands for.
   *
   * @throws IllegalArgumentException when a percent sign is not followed by two hexadecimal digits,
   *     or the bytes are no UTF-8
   */
  static String decode(String text) {
    return decode(text, false);
  }

  /** The same of a path: {@code %2F} stays, so that it does not part it. */
  static String decodePath(String path) {
    return decode(path, true);
  }

  /** The same of a parameter's name or value, in which a plus is a space. */
  static String decodeParameter(String text) {
    return decode(text.replace('+', ' '), false);
  }

  private static String decode(String text, boolean slashStays) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    byte[] from = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer to = ByteBuffer.allocate(from.length);
    for (int i = 0; i < from.length; i++) {
      if (from[i] != '%') {
        to.put(from[i]);
        continue;
      }
      int octet = i + 2 < from.length ? hex(from[i + 1]) * HEX + hex(from[i + 2]) : -1;
      if (octet < 0) {
        throw new IllegalArgumentException("% must be followed by two hexadecimal digits");
      }
      if (slashStays && octet == '/') {
        to.put(from[i]);
      } else {
        to.put((byte) octet);
        i += 2;
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(to.flip()).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("what is percent-encoded must be UTF-8", e);
    }
  }

  /** The digit's value; far below 0 for anything else. */
  private static int hex(byte digit) {
    int value = Character.digit(digit, HEX);
    return value < 0 ? -HEX * HEX * HEX : value;
  }
}
