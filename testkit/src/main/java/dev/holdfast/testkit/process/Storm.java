package dev.holdfast.testkit.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@link StormClient} in a process of its own, and what it last said. */
public final class Storm implements AutoCloseable {
  private final Process process;
  private volatile String last = "undecided=-1";

  private Storm(Process process) {
    this.process = process;
  }

  /**
   * Lets {@code clients} connect at once.
   *
   * @param net the clients come from 127.{@code net}.0.0/16
   */
  public static Storm start(int port, int clients, int perAddress, int net) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            StormClient.class.getName(),
            String.valueOf(port),
            String.valueOf(clients),
            String.valueOf(perAddress),
            String.valueOf(net));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      Storm storm = new Storm(process);
      Thread reader = new Thread(storm::read, "storm-" + net);
      reader.setDaemon(true);
      reader.start();
      return storm;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        last = line;
      }
    } catch (IOException e) {
      last = "undecided=-1 " + e; // the pipe of a killed process may end so
    }
  }

  /** The newest line; anything else than counts is what went wrong. */
  public String last() {
    return last;
  }

  /** Whether each client has its welcome or its refusal. */
  public boolean decided() {
    return number("undecided") == 0;
  }

  /** A count of the newest line; -1 when it has none of that name. */
  public int number(String name) {
    Matcher found = Pattern.compile("\\b" + Pattern.quote(name) + "=(\\d+)").matcher(last);
    return found.find() ? Integer.parseInt(found.group(1)) : -1;
  }

  /** Some users that were welcomed. */
  public List<String> served() {
    int at = last.indexOf("served=");
    return at < 0 ? List.of() : List.of(last.substring(at + 7).split(",", -1));
  }

  @Override
  public String toString() {
    return last;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
