package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * State and log must belong together, and what comes twice after a rebuild must not count twice.
 */
final class LogGuardIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final long DAY_MS = 86_400_000;

  @Test
  @DisplayName(
      "D1: an old forward is not taken; a log made anew under old state stops the instance")
  void oldForwardsAndAnotherLog() throws Exception {
    try (Cluster cluster =
            Cluster.start(ClusterSpec.named("guard").withReplicas("a").withEdges(1));
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      staleForward(cluster, kafka);
      assertThat(cluster.streams(0).terminate()).isZero();
      assertThat(cluster.edge(0).terminate()).isZero();
      makeLogAnew(cluster);
      cluster.streams(0).launch();
      // The first record in a partition with old rows is the new log's own rules.
      assertThat(cluster.streams(0).process().awaitExit(Duration.ofSeconds(60))).isEqualTo(1);
      assertThat(cluster.streams(0).process().tail()).contains("deleted and made anew");
    }
  }

  private static void staleForward(Cluster cluster, KafkaLog kafka) throws InterruptedException {
    try (EdgeClient client =
        EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", "zoe", "lastSeq", 0))) {
      byte[] value =
          "{\"type\":\"message\",\"from\":\"backend\",\"clientMsgId\":\"m1\",\"payload\":1}"
              .getBytes(StandardCharsets.UTF_8);
      long now = System.currentTimeMillis();
      kafka.writeForwardedAt(Topics.EVENTS, "zoe", value, now - DAY_MS - 60_000);
      kafka.writeForwardedAt(Topics.EVENTS, "zoe", value, now - 60_000);
      kafka.writeForwardedAt(Topics.EVENTS, "zoe", value, now - 60_000);
      client.sendTo("zoe", "z1", 2);
      assertThat(client.messages(2, SOON))
          .extracting(m -> m.path("payload").asInt())
          .containsExactly(1, 2);
      Awaitility.await()
          .atMost(SOON)
          .until(
              () ->
                  kafka.committed(Topics.DEAD_LETTERS).stream()
                      .filter(r -> KafkaLog.header(r, "reason").equals("stale_forward"))
                      .count(),
              n -> n == 1);
    }
  }

  private static void makeLogAnew(Cluster cluster) throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
        TopicsAdmin topics = new TopicsAdmin(cluster.bootstrap(), Map.of())) {
      admin.deleteTopics(List.of(Topics.EVENTS.topic())).all().get();
      Awaitility.await()
          .atMost(SOON)
          .until(() -> !admin.listTopics().names().get().contains(Topics.EVENTS.topic()));
      admin.deleteConsumerGroups(List.of("holdfast-delivery-a")).all().get();
      topics.init(new TopicsAdmin.TopicSizes(8, 4, 1));
    }
  }
}
