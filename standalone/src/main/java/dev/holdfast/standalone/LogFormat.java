package dev.holdfast.standalone;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How log lines look. */
enum LogFormat {
  text,
  json;

  private static final String OPTION = "--log-format";
  private static final String VARIABLE = "HOLDFAST_LOG_FORMAT";

  /**
   * Tells logback, which reads its configuration at the first logger, so before the command line is
   * parsed. A value that is none of ours is left to the parser, which says so.
   */
  static void choose(String[] args, Map<String, String> env) {
    String asked = asked(args);
    String chosen = asked == null ? env.get(VARIABLE) : asked;
    System.setProperty(VARIABLE, json.name().equals(chosen) ? json.name() : text.name());
  }

  private static @Nullable String asked(String[] args) {
    String asked = null;
    for (int i = 0; i < args.length; i++) {
      if (i == 0 && args[0].equals("kafka")) {
        return null; // the rest belongs to the tool
      }
      if (args[i].startsWith(OPTION + "=")) {
        asked = args[i].substring(OPTION.length() + 1);
      } else if (args[i].equals(OPTION) && i + 1 < args.length) {
        asked = args[i + 1];
      }
    }
    return asked;
  }
}
