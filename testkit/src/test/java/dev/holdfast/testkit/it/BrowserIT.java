package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.holdfast.testkit.process.HoldfastProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The JavaScript client and the pages of {@code dev} in Chromium: client-js/browser, run by npm
 * against a process of their own. {@code -Dholdfast.browser=skip} leaves it out.
 */
@Timeout(420)
@DisabledIfSystemProperty(named = "holdfast.browser", matches = "skip")
class BrowserIT {
  /** So many tests there are at least: fewer would mean that a file was not found. */
  private static final int TESTS = 31;

  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Pattern PASSED = Pattern.compile("(?m)^\\S+ pass (\\d+)$");

  @Test
  void theClientAndThePagesWorkInChromium(@TempDir Path data) throws Exception {
    assumeFalse(Tool.withoutJavaScript(), "holdfast.js=skip: there is no JavaScript client");
    try (HoldfastProcess dev =
        HoldfastProcess.start(
                "browser-dev",
                List.of("dev", "--port", "0", "--broker-port", "0", "--data", data.toString()))
            .awaitReady(Duration.ofSeconds(90))) {
      Map<String, String> url = Map.of("HOLDFAST_URL", dev.said("pages ").orElseThrow());
      String output =
          new Tool("browser-tests", Tool.CLIENT_JS, url).run(LIMIT, "npm", "run", "test:browser");
      Matcher passed = PASSED.matcher(output);
      assertThat(passed.find()).as(output).isTrue();
      assertThat(Integer.parseInt(passed.group(1))).isGreaterThanOrEqualTo(TESTS);
      assertThat(dev.terminate(Duration.ofSeconds(60))).isZero();
    }
  }
}
