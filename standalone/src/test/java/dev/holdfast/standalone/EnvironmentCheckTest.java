package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class EnvironmentCheckTest {
  private static Map<String, String> unknown(Map<String, String> environment) {
    return EnvironmentCheck.unknown(
        environment, EnvironmentDefaults.variables(Main.commandLine(Map.of())));
  }

  @Test
  void theNearestIsNamed() {
    assertThat(unknown(Map.of("HOLDFAST_PRT", "1", "HOLDFAST_LOG_LEVL", "INFO", "PATH", "/")))
        .containsOnly(
            Map.entry("HOLDFAST_PRT", "; did you mean HOLDFAST_PORT?"),
            Map.entry("HOLDFAST_LOG_LEVL", "; did you mean HOLDFAST_LOG_LEVEL?"));
    assertThat(unknown(Map.of("HOLDFAST_X", "1"))).containsOnlyKeys("HOLDFAST_X");
  }

  @Test
  void whatIsReadSomewhereIsKnown() {
    assertThat(
            unknown(
                Map.of(
                    "HOLDFAST_PORT", "1",
                    "HOLDFAST_PARTITIONS", "12",
                    "HOLDFAST_LOG_FORMAT", "json",
                    "HOLDFAST_LIBRARY_LOG_LEVEL", "INFO",
                    "HOLDFAST_JAVA_OPTS", "-Xmx1g",
                    "HOLDFAST_KAFKA_SASL_MECHANISM", "PLAIN")))
        .isEmpty();
  }

  @Test
  void whatKubernetesMakesOfAServiceIsNoMistake() {
    assertThat(
            unknown(
                Map.of(
                    "HOLDFAST_EDGE_SERVICE_HOST", "10.0.0.1",
                    "HOLDFAST_EDGE_SERVICE_PORT_HTTP", "8080",
                    "HOLDFAST_EDGE_PORT", "tcp://10.0.0.1:8080",
                    "HOLDFAST_EDGE_PORT_8080_TCP_ADDR", "10.0.0.1")))
        .isEmpty();
    assertThat(unknown(Map.of("HOLDFAST_BROKR_PORT", "1"))).isNotEmpty();
  }

  @Test
  void itIsAWarning() {
    Logger logger = (Logger) LoggerFactory.getLogger(EnvironmentCheck.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      assertThat(Outcome.of(Map.of("HOLDFAST_EDGS", "1"), "--version").status()).isZero();
    } finally {
      logger.detachAppender(lines);
    }

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("nobody reads the variable HOLDFAST_EDGS; did you mean HOLDFAST_EDGES?");
  }
}
