package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.FlakyProxy;
import dev.holdfast.testkit.process.TestPorts;
import dev.holdfast.topic.Topics;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real edge whose way to Kafka stalls while a client is with it. */
@Tag("campaign")
final class StalledEdgeIT {
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final String HOST = "127.0.0.1";

  @Test
  @DisplayName("D6: the connect of a stalled edge comes late, changes nothing, and is closed there")
  void lateConnect() throws InterruptedException {
    int via = TestPorts.free();
    try (FlakyProxy proxy = new FlakyProxy(HOST, via);
        Cluster cluster =
            Cluster.start(
                ClusterSpec.named("stalled")
                    .withReplicas("a")
                    .withEdges(1)
                    .withBrokerOptions(ProxiedEdge.listeners(via, proxy.port())));
        ProxiedEdge edge = ProxiedEdge.start(proxy, "stalled-edge-2");
        KafkaLog kafka = new KafkaLog(cluster.bootstrap());
        EdgeClient friend = client(cluster.edgeUri(0), "quinn", 1)) {
      assertThat(edge.isAlive()).isTrue();
      URI stalled = edge.uri();
      works(stalled);
      proxy.freeze();
      try (EdgeClient stuck = EdgeClient.connect(stalled)) {
        stuck.hello(hello("paula", 1));
        try (EdgeClient live = client(cluster.edgeUri(0), "paula", 2)) {
          friend.sendTo("paula", "q1", "one");
          assertThat(live.messages(1, SOON).get(0).path("seq").asLong()).isEqualTo(1);
          awaitOnlyOn("edge-1", kafka);
          assertThat(stuck.pending()).isEmpty();
          assertThat(stuck.closed()).isNotDone();

          proxy.thaw();

          assertThat(stuck.awaitClosed(SOON).code()).isEqualTo(4002);
          assertThat(stuck.pending()).isEmpty();
          assertThat(connects(kafka)).as("edges, in the log's order").isEqualTo("edge-1 edge-2");
          friend.sendTo("paula", "q2", "two");
          assertThat(live.messages(1, SOON).get(0).path("seq").asLong()).isEqualTo(2);
          assertThat(live.closed()).isNotDone();
          assertThat(live.pending()).noneMatch(f -> f.path("type").asText().equals("error"));
          awaitOnlyOn("edge-1", kafka);
        }
      }
    }
  }

  private static Map<String, ?> hello(String user, int attempt) {
    return Map.of("clientId", user, "lastSeq", 0, "attempt", attempt);
  }

  private static EdgeClient client(URI edge, String user, int attempt) throws InterruptedException {
    return EdgeClient.welcomed(edge, hello(user, attempt));
  }

  /** It stalls later, and not from the start. */
  private static void works(URI edge) throws InterruptedException {
    try (EdgeClient somebody = client(edge, "rosa", 1)) {
      somebody.sendTo("rosa", "r1", "to myself");
      assertThat(somebody.messages(1, SOON)).hasSize(1);
    }
  }

  private static void awaitOnlyOn(String edge, KafkaLog kafka) {
    Awaitility.await()
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              JsonNode presence = kafka.newest(Topics.PRESENCE, "paula").orElseThrow();
              assertThat(presence.path("status").asText()).isEqualTo("online");
              assertThat(presence.path("clients")).hasSize(1);
              assertThat(presence.path("clients").get(0).path("edge").asText()).isEqualTo(edge);
            });
  }

  /** Where paula's connects came from. */
  private static String connects(KafkaLog kafka) {
    return String.join(
        " ",
        kafka.committed(Topics.EVENTS).stream()
            .filter(r -> r.key() != null)
            .filter(r -> new String(r.key(), StandardCharsets.UTF_8).equals("paula"))
            .map(r -> new String(r.value(), StandardCharsets.UTF_8))
            .filter(value -> value.contains("\"type\":\"connect\""))
            .map(value -> value.contains("\"edge-1\"") ? "edge-1" : "edge-2")
            .toList());
  }
}
