package dev.holdfast.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The alerts in docs/alerts: Prometheus takes them, they fire when they should, and only ours. */
class AlertsTest {
  private static final String RULES = "holdfast.rules.yml";
  private static final String TESTS = "holdfast.rules.test.yml";
  private static final Pattern METRIC =
      Pattern.compile("\\b(?:holdfast_(?:edge|streams)|process|jvm)_[a-z_]+\\b");

  @Test
  @DisplayName("R-6.6 promtool takes the rules, and they fire when they should")
  void promtoolAgrees() throws Exception {
    assumeTrue(found("promtool"), "promtool is missing: install the package prometheus");
    assertThat(promtool("check", "rules", RULES)).contains("SUCCESS");
    assertThat(promtool("test", "rules", TESTS)).contains("SUCCESS");
  }

  @Test
  @DisplayName("every metric that the rules and their tests name is in docs/metrics.md")
  void metricsExist() throws Exception {
    Set<String> documented = new HashSet<>();
    MetricsDoc.read("## Edge", "## Streams", "## JVM")
        .forEach(row -> documented.add(row.split(" ", -1)[0]));
    TreeSet<String> used = new TreeSet<>();
    for (String file : List.of(RULES, TESTS)) {
      Matcher names = METRIC.matcher(Files.readString(dir().resolve(file)));
      while (names.find()) {
        used.add(names.group().replaceFirst("_bucket$", ""));
      }
    }
    assertThat(used).hasSizeGreaterThan(15);
    assertThat(documented).containsAll(used);
  }

  @Test
  @DisplayName("every alert has a test in which it fires")
  void everyAlertIsTested() throws Exception {
    Matcher alerts =
        Pattern.compile("- alert: (\\w+)").matcher(Files.readString(dir().resolve(RULES)));
    String tests = Files.readString(dir().resolve(TESTS));
    int count = 0;
    while (alerts.find()) {
      count++;
      assertThat(tests)
          .containsPattern(
              "alertname: " + alerts.group(1) + "\\n +exp_alerts|alertname=\"" + alerts.group(1));
    }
    assertThat(count).isGreaterThan(15);
  }

  private static String promtool(String... args) throws IOException, InterruptedException {
    List<String> command = new java.util.ArrayList<>(List.of("promtool"));
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command).directory(dir().toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  private static boolean found(String program) {
    String path = java.util.Objects.requireNonNullElse(System.getenv("PATH"), "");
    for (String dir : path.split(java.io.File.pathSeparator, -1)) {
      if (Files.isExecutable(Path.of(dir, program))) {
        return true;
      }
    }
    return false;
  }

  private static Path dir() throws IOException {
    for (Path dir : List.of(Path.of("..", "docs", "alerts"), Path.of("docs", "alerts"))) {
      if (Files.isDirectory(dir)) {
        return dir;
      }
    }
    throw new IOException("docs/alerts is not there");
  }
}
