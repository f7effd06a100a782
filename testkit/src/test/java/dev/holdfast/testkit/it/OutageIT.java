package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The broker dies, stays away under load, and comes back. */
final class OutageIT {
  @Test
  @DisplayName("D8 D10: 20 s without a broker lose nothing, close nobody and show nobody offline")
  void shortOutage() throws InterruptedException {
    outage(20);
  }

  @Test
  @Tag("campaign")
  @DisplayName("D8 D10: 60 s without a broker lose nothing, close nobody and show nobody offline")
  void longOutage() throws InterruptedException {
    outage(60);
  }

  private static void outage(int seconds) throws InterruptedException {
    try (Cluster cluster = Cluster.start(ClusterSpec.named("outage"));
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
