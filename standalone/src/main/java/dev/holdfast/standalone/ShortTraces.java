package dev.holdfast.standalone;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Some of Kafka's tools answer a mistyped option with its name and then with a stack trace, as one
 * text. Of such a text this stream prints what is before the trace.
 */
final class ShortTraces extends PrintStream {
  private static final String FIRST_FRAME = "\n\tat ";

  ShortTraces(PrintStream to) {
    super(to, true, StandardCharsets.UTF_8);
  }

  /** From now on, for what this process prints. */
  static void onStandardError() {
    System.setErr(new ShortTraces(System.err));
  }

  @Override
  public void println(String text) {
    int trace = text == null ? -1 : text.indexOf(FIRST_FRAME);
    super.println(trace < 0 ? text : text.substring(0, trace).stripTrailing());
  }
}
