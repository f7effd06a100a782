package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.FlakyProxy;
import dev.holdfast.testkit.process.TestPorts;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The broker stands still, with its connections open, and goes on. */
final class BrokerTroubleIT {
  private static final int PAUSE_S = 20;
  private static final Duration SOON = Duration.ofSeconds(30);

  @Test
  @Tag("campaign")
  @DisplayName("D8 D10: 20 s of a paused broker lose nothing, close nobody; readyz tells of it")
  void pausedUnderLoad() throws InterruptedException {
    try (Cluster cluster = Cluster.start(ClusterSpec.named("paused"));
        Traffic traffic = new Traffic(6, 200, 500, cluster.edgeUris(), false)) {
      traffic.start();
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> traffic.handed() > 3_000);
      cluster.broker().pause();
      long pausedAt = System.nanoTime();
      for (int i = 0; i < 2; i++) {
        awaitReadiness(cluster.edgeHttp(i), 503, Duration.ofSeconds(13));
      }
      System.out.println("not ready after " + msSince(pausedAt) + " ms");
      TimeUnit.SECONDS.sleep(PAUSE_S - TimeUnit.MILLISECONDS.toSeconds(msSince(pausedAt)));
      cluster.broker().resume();
      long resumedAt = System.nanoTime();
      for (int i = 0; i < 2; i++) {
        awaitReadiness(cluster.edgeHttp(i), 200, Duration.ofSeconds(10));
      }
      System.out.println("ready again after " + msSince(resumedAt) + " ms");
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
        assertThat(kafka.committed(Topics.PRESENCE))
            .as("shown offline")
            .noneMatch(r -> new String(r.value(), StandardCharsets.UTF_8).contains("\"offline\""));
      }
    }
  }

  @Test
  @DisplayName("D8: what the edge cannot take meanwhile is refused with a time, and not overtaken")
  void refusedWithATime() throws InterruptedException {
    int count = 200;
    String payload = "x".repeat(60_000);
    try (Cluster cluster =
            Cluster.start(ClusterSpec.named("paused-full").withReplicas("a").withEdges(1));
        EdgeClient bob = client(cluster, "bob");
        EdgeClient ann = client(cluster, "ann")) {
      cluster.broker().pause();
      IntStream.range(0, count).forEach(i -> ann.sendTo("bob", "m" + i, i + payload));
      JsonNode refused = ann.await("error", SOON);
      assertThat(refused.path("code").asText()).isEqualTo("overloaded");
      assertThat(refused.path("retryable").asBoolean()).isTrue();
      assertThat(refused.path("retryAfterMs").asLong()).isPositive();
      int from = Integer.parseInt(refused.path("clientMsgId").asText().substring(1));
      assertThat(from).isBetween(10, count - 10);
      for (int i = from + 1; i < count; i++) {
        assertThat(ann.await("error", SOON).path("code").asText()).isEqualTo("out_of_order");
      }
      ann.sendText("ping");
      assertThat(ann.await("pong", SOON)).isNotNull();
      assertThat(ann.pending()).as("nothing is accepted while Kafka is away").isEmpty();

      cluster.broker().resume();

      for (int i = 0; i < from; i++) {
        assertThat(ann.await("sent", SOON).path("clientMsgId").asText()).isEqualTo("m" + i);
      }
      for (int i = from; i < count; i++) {
        ann.sendTo("bob", "m" + i, i + payload);
        assertThat(ann.await("sent", SOON).path("clientMsgId").asText()).isEqualTo("m" + i);
      }
      for (int i = 0; i < count; i++) {
        JsonNode message = bob.messages(1, SOON).get(0);
        assertThat(message.path("seq").asInt()).isEqualTo(i + 1);
        assertThat(message.path("payload").asText()).isEqualTo(i + payload);
        bob.ack(i + 1);
      }
      assertThat(List.of(ann.closed().isDone(), bob.closed().isDone())).containsOnly(false);
    }
  }

  @Test
  @Tag("soak")
  @DisplayName("D8: a slow way to Kafka slows its edge's clients down, and that is all")
  void slowWay() throws InterruptedException {
    int via = TestPorts.free();
    try (FlakyProxy proxy = new FlakyProxy("127.0.0.1", via);
        Cluster cluster =
            Cluster.start(
                ClusterSpec.named("slow")
                    .withReplicas("a")
                    .withEdges(1)
                    .withBrokerOptions(ProxiedEdge.listeners(via, proxy.port())));
        ProxiedEdge slow = ProxiedEdge.start(proxy, "slow-edge-2");
        Traffic traffic = new Traffic(8, 40, 100, List.of(cluster.edgeUri(0), slow.uri()), false)) {
      traffic.start();
      Awaitility.await().atMost(SOON).until(() -> traffic.handed() > 200);
      proxy.delay(Duration.ofMillis(150));
      long slowFrom = System.nanoTime();
      for (int i = 0; i < 10; i++) {
        TimeUnit.SECONDS.sleep(1);
        assertThat(Web.status(slow.http() + "/readyz")).isEqualTo(200);
      }
      long slowTo = System.nanoTime();
      proxy.delay(Duration.ZERO);
      traffic.settle(Duration.ofMinutes(1));
      System.out.println("slow way: " + Traffic.summary(traffic.delays(slowFrom, slowTo)));
      assertThat(traffic.ledger().violations()).isEmpty();
      assertThat(traffic.ledger().accepted()).isEqualTo((int) traffic.offered());
      assertThat(traffic.closed()).as("connections closed").isEmpty();
    }
  }

  private static EdgeClient client(Cluster cluster, String user) throws InterruptedException {
    EdgeClient client =
        EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", user, "lastSeq", 0));
    client.await("sync", SOON);
    return client;
  }

  private static void awaitReadiness(String edge, int status, Duration patience) {
    Awaitility.await()
        .atMost(patience)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> Web.status(edge + "/readyz") == status);
  }

  private static long msSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }
}
