package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class JsonLinesTest {
  private static final String PROPERTY = "HOLDFAST_LOG_FORMAT";
  private final Logger logger = new LoggerContext().getLogger("dev.holdfast.Some");

  @AfterEach
  void forget() {
    System.clearProperty(PROPERTY);
  }

  @Test
  void anEventIsOneLineWithItsFieldsByName() throws Exception {
    LoggingEvent event =
        new LoggingEvent(
            "x",
            logger,
            Level.WARN,
            "two\nlines {}",
            new IllegalStateException("why"),
            new Object[] {7});
    event.setKeyValuePairs(
        List.of(
            new KeyValuePair("connId", "c-1"),
            new KeyValuePair("durationMs", 5L),
            new KeyValuePair("message", "not ours"),
            new KeyValuePair("byReason", Map.of("overloaded", 3L))));
    String line = new String(new JsonLines().encode(event), StandardCharsets.UTF_8);
    assertThat(line).endsWith("}\n");
    assertThat(line.trim()).doesNotContain("\n");
    JsonNode json = new ObjectMapper().readTree(line);
    assertThat(json.path("level").asText()).isEqualTo("WARN");
    assertThat(json.path("logger").asText()).isEqualTo("dev.holdfast.Some");
    assertThat(json.path("message").asText()).isEqualTo("two\nlines 7");
    assertThat(json.path("connId").asText()).isEqualTo("c-1");
    assertThat(json.path("durationMs").isIntegralNumber()).isTrue();
    assertThat(json.path("_message").asText()).isEqualTo("not ours");
    assertThat(json.at("/byReason/overloaded").asInt()).isEqualTo(3);
    assertThat(json.path("error").asText()).contains("IllegalStateException: why", "JsonLinesTest");
    assertThat(json.path("time").asText()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
  }

  @Test
  void theCommandLineWinsOverTheVariable() {
    assertThat(chosen(Map.of())).isEqualTo("text");
    assertThat(chosen(Map.of(PROPERTY, "json"), "edge")).isEqualTo("json");
    assertThat(chosen(Map.of(PROPERTY, "json"), "edge", "--log-format=text")).isEqualTo("text");
    assertThat(chosen(Map.of(), "edge", "--log-format", "json")).isEqualTo("json");
    assertThat(chosen(Map.of(), "edge", "--log-format", "yaml")).isEqualTo("text");
    assertThat(chosen(Map.of(), "kafka", "topics", "--log-format=json")).isEqualTo("text");
  }

  private static String chosen(Map<String, String> env, String... args) {
    LogFormat.choose(args, env);
    return System.getProperty(PROPERTY);
  }
}
