package dev.holdfast.edge.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.frame.CloseCode;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TrafficLogTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(TrafficLog.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final EdgeCounters counters = new EdgeCounters();
  private final TrafficLog log = new TrafficLog("edge-7", counters);

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(lines);
  }

  @Test
  @DisplayName("a thousand ends are one line, and quiet is none")
  void sums() {
    log.run();
    assertThat(lines.list).isEmpty();
    for (int i = 0; i < 1_000; i++) {
      counters.connectionsEnded.increment();
      counters.handshakes.count("accepted");
    }
    counters.closed(CloseCode.IDLE_TIMEOUT);
    log.run();
    assertThat(lines.list).hasSize(1);
    assertThat(fields(0))
        .containsEntry("edge", "edge-7")
        .containsEntry("count", 1_000L)
        .containsEntry("closedByEdge", Map.of("idle_timeout", 1L));
    log.run();
    assertThat(lines.list).hasSize(1);
  }

  @Test
  @DisplayName("a close whose connection ends an interval later keeps its reason")
  void closesBeforeTheirEnds() {
    counters.closed(CloseCode.SLOW_CONSUMER);
    log.run();
    counters.connectionsEnded.increment();
    log.run();
    log.run();
    assertThat(lines.list).hasSize(2);
    assertThat(fields(0))
        .containsEntry("count", 0L)
        .containsEntry("closedByEdge", Map.of("slow_consumer", 1L));
    assertThat(fields(1)).containsEntry("count", 1L).containsEntry("closedByEdge", Map.of());
  }

  @Test
  void refusalsAreToldByReason() {
    counters.handshakes.count("overloaded");
    counters.handshakes.count("overloaded");
    counters.handshakes.count("upgrade_required");
    log.run();
    counters.handshakes.count("overloaded");
    log.run();
    assertThat(lines.list).hasSize(2).allMatch(line -> line.getLevel() == Level.WARN);
    assertThat(fields(0))
        .containsEntry("edge", "edge-7")
        .containsEntry("byReason", Map.of("overloaded", 2L, "upgrade_required", 1L));
    assertThat(fields(1)).containsEntry("byReason", Map.of("overloaded", 1L));
  }

  private Map<String, Object> fields(int line) {
    return lines.list.get(line).getKeyValuePairs().stream()
        .collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
  }
}
