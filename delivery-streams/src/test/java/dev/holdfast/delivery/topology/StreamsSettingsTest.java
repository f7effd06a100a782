package dev.holdfast.delivery.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.delivery.DeliveryConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class StreamsSettingsTest {
  private static Properties settings(Map<String, String> kafka) {
    return StreamsSettings.of(
        new DeliveryConfig(
            "127.0.0.1:1", Path.of("target"), "a", 1, 1, "classic", "127.0.0.1", -1, kafka));
  }

  private static Map<String, Object> mainConsumer(StreamsConfig config) {
    return config.getMainConsumerConfigs("holdfast-delivery-a", "client", 0);
  }

  @Test
  void whatTheOperatorSaysWinsWithAndWithoutTheClientsName() {
    StreamsConfig plain =
        new StreamsConfig(
            settings(Map.of("session.timeout.ms", "9000", "transaction.timeout.ms", "4000")));
    StreamsConfig named =
        new StreamsConfig(
            settings(
                Map.of(
                    "consumer.session.timeout.ms", "9000",
                    "producer.transaction.timeout.ms", "4000")));

    for (StreamsConfig config : List.of(plain, named)) {
      assertThat(String.valueOf(mainConsumer(config).get("session.timeout.ms"))).isEqualTo("9000");
      assertThat(String.valueOf(config.getProducerConfigs("p").get("transaction.timeout.ms")))
          .isEqualTo("4000");
    }
    assertThat(mainConsumer(new StreamsConfig(settings(Map.of()))).get("session.timeout.ms"))
        .isEqualTo(6_000);
  }

  @Test
  void theChecksKnowWhatStreamsAsksFor() {
    assertThat(StreamsSettings.Asked.of(Map.of()))
        .isEqualTo(new StreamsSettings.Asked(6_000, 3_000, -1));
    assertThat(
            StreamsSettings.Asked.of(
                Map.of(
                    "session.timeout.ms", "1",
                    "consumer.session.timeout.ms", "2",
                    "main.consumer.session.timeout.ms", "3",
                    "transaction.timeout.ms", "4",
                    "replication.factor", "5")))
        .isEqualTo(new StreamsSettings.Asked(3, 4, 5));
    assertThatThrownBy(() -> StreamsSettings.Asked.of(Map.of("session.timeout.ms", "soon")))
        .hasMessage("session.timeout.ms must be a number, not soon");
  }

  @Test
  void streamsAndItsAssignorHaveNothingToWarnAbout() {
    Logger logger = (Logger) LoggerFactory.getLogger(StreamsConfig.class);
    ListAppender<ILoggingEvent> said = new ListAppender<>();
    said.start();
    logger.addAppender(said);
    try {
      StreamsConfig config = new StreamsConfig(settings(Map.of()));
      // As the assignor does it, from the consumer's configuration.
      StreamsConfig assignors = new StreamsConfig(mainConsumer(config));

      assertThat(assignors.getString(StreamsConfig.APPLICATION_ID_CONFIG))
          .isEqualTo("holdfast-delivery-a");
      assertThat(said.list).filteredOn(e -> e.getLevel().isGreaterOrEqual(Level.WARN)).isEmpty();
    } finally {
      logger.detachAppender(said);
    }
  }
}
