package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A command that is run to its end: npm, node, mvn. What it writes goes to a file under {@code
 * target/process-logs}.
 */
record Tool(String name, Path directory, Map<String, String> environment) {
  /** The sources of the JavaScript client, where npm is run. */
  static final Path CLIENT_JS = Path.of("..", "client-js").toAbsolutePath().normalize();

  private static final Path LOGS = Path.of("target", "process-logs");

  /** True when the build leaves JavaScript out, and with it all that is tested of it. */
  static boolean withoutJavaScript() {
    return "skip".equals(System.getProperty("holdfast.js"));
  }

  /**
   * Runs the command and returns what it wrote, standard error with it. Fails with that when it
   * does not end with 0 or not in time; then it and what it started are killed.
   */
  String run(Duration limit, String... command) throws IOException, InterruptedException {
    Ended ended = end(limit, command);
    assertThat(ended.status())
        .as("the status of %s:%n%s", String.join(" ", command), ended.output())
        .isZero();
    return ended.output();
  }

  /** The same for what must not end with 0. */
  String fails(Duration limit, String... command) throws IOException, InterruptedException {
    Ended ended = end(limit, command);
    assertThat(ended.status()).as("the status of %s", String.join(" ", command)).isNotZero();
    return ended.output();
  }

  private record Ended(int status, String output) {}

  private Ended end(Duration limit, String... command) throws IOException, InterruptedException {
    Path log = LOGS.resolve(name + ".log").toAbsolutePath();
    Files.createDirectories(log.getParent());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    String output = Files.readString(log);
    assertThat(ended)
        .as("%s within %s s:%n%s", String.join(" ", command), limit.toSeconds(), output)
        .isTrue();
    return new Ended(process.exitValue(), output);
  }
}
