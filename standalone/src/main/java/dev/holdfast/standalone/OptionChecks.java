package dev.holdfast.standalone;

import dev.holdfast.standalone.broker.Ports;
import java.nio.file.Path;

/** Refuses what an option cannot be, by the option's name; status 2. */
final class OptionChecks {
  private static final int LAST_PORT = 65_535;

  private OptionChecks() {}

  static void atLeast(String option, int least, int value) {
    if (value < least) {
      throw new IllegalArgumentException(option + " must be " + least + " or more, not " + value);
    }
  }

  static void between(String option, long least, long most, long value) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          option + " must be " + least + " to " + most + ", not " + value);
    }
  }

  /** A port to listen on; 0 picks a free one. */
  static void port(String option, int value) {
    between(option, 0, LAST_PORT, value);
  }

  /** The same, and below 0 there is none. */
  static void portOrNone(String option, int value) {
    if (value > LAST_PORT) {
      throw new IllegalArgumentException(
          option + " must be 0 to " + LAST_PORT + ", or below 0 for none, not " + value);
    }
  }

  /** {@code count} ports, one after the other; when the first is 0 each is a free one. */
  static void ports(String option, int first, int count, String what) {
    port(option, first);
    int last = first + count - 1;
    if (first != 0 && last > LAST_PORT) {
      throw new IllegalArgumentException(
          option
              + " "
              + first
              + ": "
              + count
              + " "
              + what
              + " need ports up to "
              + last
              + ", and the last there is is "
              + LAST_PORT);
    }
  }

  /** An empty path is the working directory to Java; whoever gave it meant something else. */
  static void directory(String option, Path value) {
    if (value.toString().isBlank()) {
      throw new IllegalArgumentException(option + " must name a directory, and is empty");
    }
  }

  /**
   * Refuses a port that is taken before anything starts, not seconds later; status 1, since the
   * command line is right.
   *
   * @param who needs it
   */
  static void free(String option, String host, int port, String who) {
    if (port != 0 && !Ports.canBind(host, port)) {
      throw new CommandFailed(
          "port "
              + port
              + " on "
              + host
              + ", which "
              + who
              + " needs, is taken or not of this machine; stop the program that listens there, or"
              + " give another "
              + option);
    }
  }
}
