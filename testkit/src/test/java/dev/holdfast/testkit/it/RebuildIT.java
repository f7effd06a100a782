package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.delivery.DeliveryConfig;
import dev.holdfast.delivery.topology.DeliveryStreams;
import dev.holdfast.metrics.Scrape;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All state is gone for longer than a rebuild finds worth emitting, and a client stayed. */
@Tag("campaign")
final class RebuildIT {
  private static final Duration SOON = Duration.ofSeconds(30);

  /** Stands for the minutes that no application ran: to its clock, all that is there is old. */
  private static final Duration AWAY = Duration.ofMinutes(2);

  @Test
  @DisplayName(
      "decision 6: after a rebuild from nothing, a live connection gets what came meanwhile")
  void liveConnectionCatchesUp() throws Exception {
    try (Cluster cluster =
            Cluster.start(ClusterSpec.named("rebuild").withReplicas("a").withEdges(1));
        EdgeClient bob = client(cluster, "bob");
        EdgeClient amy = client(cluster, "amy")) {
      amy.sendTo("bob", "1", "before");
      JsonNode before = bob.messages(1, SOON).get(0);
      cluster.streams(0).kill9();
      amy.sendTo("bob", "2", "meanwhile");
      amy.sendTo("bob", "3", "meanwhile, too");
      amy.await("sent", SOON);
      amy.await("sent", SOON);
      amy.await("sent", SOON);

      try (DeliveryStreams heir = heir(cluster)) {
        heir.start();

        List<JsonNode> caughtUp = bob.messages(2, SOON);
        assertThat(before.path("seq").asLong()).isEqualTo(1);
        assertThat(caughtUp).extracting(m -> m.path("seq").asLong()).containsExactly(2L, 3L);
        assertThat(caughtUp.get(1).path("payload").asText()).isEqualTo("meanwhile, too");
        assertThat(bob.closed()).isNotDone();
      }
    }
  }

  private static EdgeClient client(Cluster cluster, String user) throws InterruptedException {
    return EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", user, "lastSeq", 0));
  }

  private static DeliveryStreams heir(Cluster cluster) {
    DeliveryConfig config =
        new DeliveryConfig(
            cluster.bootstrap(),
            cluster.dir().resolve("heir"),
            "b",
            1,
            0,
            "classic",
            "127.0.0.1",
            -1,
            Map.of());
    return new DeliveryStreams(
        config,
        () -> Instant.now().plus(AWAY),
        new CompletableFuture<>(),
        new Scrape("replica", "b"));
  }
}
