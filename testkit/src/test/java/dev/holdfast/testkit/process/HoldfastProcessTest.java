package dev.holdfast.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HoldfastProcessTest {
  @TempDir private Path dir = Path.of("");

  private HoldfastProcess broker() {
    return HoldfastProcess.start(
        "process-test-broker", List.of("broker", "--port", "0", "--data", dir.toString()));
  }

  @Test
  void terminatesWithStatusZeroAndStartsAgainAfterKill9() throws InterruptedException {
    try (HoldfastProcess first = broker().awaitReady(Duration.ofSeconds(40))) {
      assertThat(first.said("broker ")).get().asString().startsWith("127.0.0.1:");
      first.kill9();
      assertThat(first.isAlive()).isFalse();
    }
    try (HoldfastProcess second = broker().awaitReady(Duration.ofSeconds(40))) {
      second.pause();
      second.resume();
      assertThat(second.terminate(Duration.ofSeconds(30))).isZero();
    }
  }

  @Test
  void itsLogHasNothingOfAnOlderBuildAndItsTailNothingOfAnEarlierStart() throws Exception {
    Path log = Path.of("target", "process-logs", "process-test-log.log");
    Files.createDirectories(log.getParent());
    Files.writeString(log, "of an older build\n");
    for (String word : List.of("brokr", "strems")) {
      try (HoldfastProcess process = HoldfastProcess.start("process-test-log", List.of(word))) {
        assertThatThrownBy(() -> process.awaitReady(Duration.ofSeconds(40)))
            .hasMessageContaining(word);
        assertThat(process.log()).isEqualTo(log);
        assertThat(process.tail().lines().filter(line -> line.startsWith("--- pid ")))
            .singleElement()
            .asString()
            .endsWith(": " + word);
      }
    }
    assertThat(log).content().contains("brokr", "strems").doesNotContain("of an older build");
  }

  @Test
  void tellsWhyItDidNotStart() throws InterruptedException {
    try (HoldfastProcess wrong = HoldfastProcess.start("process-test-wrong", List.of("brokr"))) {
      assertThatThrownBy(() -> wrong.awaitReady(Duration.ofSeconds(40)))
          .hasMessageContaining("did you mean broker?");
      assertThat(wrong.awaitExit(Duration.ofSeconds(10))).isEqualTo(2);
    }
  }
}
