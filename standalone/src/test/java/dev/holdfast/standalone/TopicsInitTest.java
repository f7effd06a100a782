package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.edge.egress.KafkaLayout;
import dev.holdfast.standalone.broker.EmbeddedBroker;
import dev.holdfast.topic.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code topics init} and {@code rules set} say to topics that exist, on a real broker. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TopicsInitTest {
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start(@TempDir Path dir) {
    broker = new EmbeddedBroker(dir, "127.0.0.1", 0, Map.of());
    broker.start();
    Outcome made = run("topics init --partitions 3 --delivery-partitions 2");
    assertThat(made.status()).as(made.out() + made.err()).isZero();
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static Outcome run(String args) {
    return Outcome.of(Map.of("HOLDFAST_BOOTSTRAP", broker.bootstrap()), args.split(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--partitions 12 | holdfast.events, holdfast.presence have 3 partitions, not the 12 of",
        "--delivery-partitions 1 | holdfast.deliveries has 2 partitions, not the 1 of",
        "--delivery-partitions 8 | --alter --topic holdfast.deliveries --partitions 8`",
        "--replication 3 | holdfast.rules have 1 replica of each partition, not the 3 of"
      })
  void whatCannotBeDoneToExistingTopicsIsRefused(String args, String said) {
    Outcome outcome = run("topics init " + args);

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.out())
        .startsWith("refused: ")
        .contains(said)
        .endsWith("nothing was changed" + System.lineSeparator())
        .doesNotContain("topics are ready");
  }

  @Test
  void whatIsThereAlreadyMayBeAskedForAgain() {
    String asked = " --partitions 3 --delivery-partitions 2 --replication 1";

    assertThat(run("topics init").out()).endsWith("topics are ready" + System.lineSeparator());
    assertThat(run("topics init" + asked).status()).isZero();
  }

  @Test
  void theOnlyReplicaIsNotSentToACommandThatChangesNothing() {
    assertThat(run("topics check").out())
        .contains("one replica, on the only broker", "reassign-partitions")
        .doesNotContain("topics init");
  }

  @ParameterizedTest
  @CsvSource({"mailbox-age-ms", "dedup-window-ms"})
  void rulesThatOutliveTheLogAreRefusedWithTheCommandThatMakesRoom(String rule) {
    long nine = Duration.ofDays(9).toMillis();
    Outcome outcome = run("rules set --" + rule + " " + nine);

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err())
        .contains(
            "holdfast.events has retention.ms=691200000",
            rule + " (" + nine + ")",
            command(Duration.ofDays(10).toMillis()))
        .hasLineCount(1);
    assertThat(run("rules show").out()).doesNotContain(Long.toString(nine));
  }

  @Test
  void aLogThatWasShortenedIsToldAndOtherRulesCanStillBeSet() throws Exception {
    long kept = Duration.ofDays(3).toMillis();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      TopicsCheckTest.set(admin, Topics.EVENTS, "retention.ms", Long.toString(kept));
      assertThat(run("topics check").out())
          .contains("holdfast.events has retention.ms=" + kept)
          .contains("the rules' mailbox-age-ms", command(Duration.ofDays(8).toMillis()));
      assertThat(run("rules set --max-backlog 400").status()).isZero();
      TopicsCheckTest.set(admin, Topics.EVENTS, "retention.ms", "691200000");
    }
  }

  private static String command(long ms) {
    return "`./holdfast kafka configs --bootstrap-server "
        + broker.bootstrap()
        + " --alter --entity-type topics --entity-name holdfast.events --add-config retention.ms="
        + ms
        + "`";
  }

  @Test
  void anEdgeThatLooksForItsTopicsSaysWhichIsMissing(@TempDir Path dir) throws Exception {
    try (EmbeddedBroker bare = new EmbeddedBroker(dir, "127.0.0.1", 0, Map.of())) {
      bare.start();
      assertThatThrownBy(() -> layout(bare))
          .hasMessage("topic holdfast.events is missing: run `holdfast topics init`");
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", bare.bootstrap()))) {
        NewTopic events = new NewTopic(Topics.EVENTS.topic(), 2, (short) 1);
        admin.createTopics(List.of(events)).all().get();
        assertThatThrownBy(() -> layout(bare))
            .hasMessage("topic holdfast.deliveries is missing: run `holdfast topics init`");
        NewTopic deliveries = new NewTopic(Topics.DELIVERIES.topic(), 3, (short) 1);
        admin.createTopics(List.of(deliveries)).all().get();
      }
      assertThat(layout(bare)).isEqualTo(new KafkaLayout(2, 3));
    }
  }

  private static KafkaLayout layout(EmbeddedBroker of) {
    return KafkaLayout.resolve(of.bootstrap(), "edge", Map.of(), Duration.ofSeconds(20));
  }
}
