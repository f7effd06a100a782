package dev.holdfast.standalone.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BrokerSettingsTest {
  private static final String CLEANUP =
      "transaction.abort.timed.out.transaction.cleanup.interval.ms";

  private static String cleanup(boolean afterCrash, Map<String, String> extra) {
    return BrokerSettings.of(Path.of("log"), "127.0.0.1", 9092, 9093, afterCrash, extra)
        .getProperty(CLEANUP, "");
  }

  @Test
  void abortsWaitForLeadersAfterACrashOnly() {
    assertThat(cleanup(false, Map.of())).isEqualTo("500");
    assertThat(cleanup(true, Map.of())).isEqualTo("5000");
  }

  @Test
  void whatIsGivenWins() {
    assertThat(cleanup(true, Map.of(CLEANUP, "700"))).isEqualTo("700");
  }
}
