package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The broker dies, stays away under load, and comes back. */
final class OutageIT {
  private static final String CORRUPTED = "TaskCorruptedException";

  @Test
  @DisplayName("D8 D10: 20 s without a broker lose nothing, close nobody and show nobody offline")
  void shortOutage() throws Exception {
    outage(20);
  }

  @Test
  @Tag("campaign")
  @DisplayName("D8 D10: 60 s without a broker lose nothing, close nobody and show nobody offline")
  void longOutage() throws Exception {
    outage(60);
  }

  /**
   * What an outage of more than five minutes runs into, on a scale of 1 to 25: the group has put
   * the instances out, their tasks are others' by the time the broker is back. A commit interval of
   * 1 ms has the broker die in the middle of commits, which must not be given up.
   */
  @Test
  @Tag("campaign")
  @DisplayName("D4 D8: an outage that outlasts group membership and time-outs loses nothing")
  void outageBeyondTimeouts() throws Exception {
    outage(
        40,
        ClusterSpec.named("outage-beyond")
            .withStreamsOptions(
                "--kafka.commit.interval.ms=1",
                "--kafka.max.poll.interval.ms=12000",
                "--kafka.task.timeout.ms=12000",
                "--kafka.default.api.timeout.ms=10000",
                "--kafka.request.timeout.ms=5000",
                "--kafka.metadata.recovery.rebootstrap.trigger.ms=12000"));
  }

  private static void outage(int seconds) throws Exception {
    outage(seconds, ClusterSpec.named("outage"));
  }

  private static void outage(int seconds, ClusterSpec spec) throws Exception {
    try (Cluster cluster = Cluster.start(spec);
        Traffic traffic = new Traffic(5, 200, 500, cluster.edgeUris(), false)) {
      traffic.start();
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> traffic.handed() > 3_000);
      cluster.broker().kill9();
      TimeUnit.SECONDS.sleep(seconds);
      assertThat(cluster.edge(0).isAlive()).isTrue();
      assertThat(cluster.edge(1).isAlive()).isTrue();
      cluster.broker().start();
      long before = traffic.handed();
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> traffic.handed() > before + 3_000);
      traffic.settle(Duration.ofMinutes(2));
      Ledger ledger = traffic.ledger();
      assertThat(ledger.violations()).isEmpty();
      assertThat(ledger.accepted()).isEqualTo((int) traffic.offered());
      assertThat(traffic.closed()).as("connections closed").isEmpty();
      // Mending what it calls corrupted loses records; see decision 10.
      assertThat(Files.readString(cluster.streams(0).process().log())).doesNotContain(CORRUPTED);
      assertThat(Files.readString(cluster.streams(1).process().log())).doesNotContain(CORRUPTED);
      try (KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
        assertThat(kafka.seqsGivenTwice()).isEmpty();
        List<String> offline =
            kafka.committed(Topics.PRESENCE).stream()
                .map(r -> new String(r.value(), StandardCharsets.UTF_8))
                .filter(v -> v.contains("\"offline\""))
                .toList();
        assertThat(offline).as("shown offline").isEmpty();
      }
    }
  }
}
