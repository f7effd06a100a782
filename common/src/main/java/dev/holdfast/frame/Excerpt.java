package dev.holdfast.frame;

/** A piece of what a client sent, fit to stand in an error's text and in a log line. */
final class Excerpt {
  /** Most UTF-16 code units that are repeated. */
  static final int MOST = 64;

  private Excerpt() {}

  /**
   * {@code sent} in quotes, cut, and with whatever does not print as an escape: a text that looks
   * right and is wrong is told by that.
   */
  static String of(String sent) {
    StringBuilder out = new StringBuilder(MOST + 2).append('"');
    int i = 0;
    while (i < sent.length() && i < MOST) {
      int point = sent.codePointAt(i);
      if (prints(point)) {
        out.appendCodePoint(point);
      } else {
        for (char unit : Character.toChars(point)) {
          out.append(String.format("\\u%04x", (int) unit));
        }
      }
      i += Character.charCount(point);
    }
    return out.append(i < sent.length() ? "\"…" : "\"").toString();
  }

  private static boolean prints(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
