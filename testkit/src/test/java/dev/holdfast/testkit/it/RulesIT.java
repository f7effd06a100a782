package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.record.Rules;
import dev.holdfast.record.RulesCodec;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Limits that the log itself carries. */
final class RulesIT {
  private static final Duration SOON = Duration.ofSeconds(15);

  private static Rules with(Rules rules, Map<String, Long> changes) {
    Map<String, Long> map = new HashMap<>(RulesCodec.toMap(rules));
    map.putAll(changes);
    return RulesCodec.fromMap(map);
  }

  private static void set(Cluster cluster, Map<String, Long> changes) {
    try (TopicsAdmin admin = new TopicsAdmin(cluster.bootstrap(), Map.of())) {
      admin.setRules(with(admin.rulesOf(), changes));
    }
  }

  @Test
  @DisplayName("R-4.4: beyond maxBacklog gap, after resumeTtl expired; the newest seq is told")
  void gapAndExpired() throws InterruptedException {
    try (Cluster cluster =
        Cluster.start(
            ClusterSpec.named("rules")
                .withReplicas("a")
                .withEdges(1)
                .withRules(r -> with(r, Map.of("maxBacklog", 5L))))) {
      try (EdgeClient sender =
          EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", "sender", "lastSeq", 0))) {
        for (int i = 1; i <= 6; i++) {
          sender.sendTo("late", "m" + i, i);
        }
        sender.await(f -> f.path("clientMsgId").asText().equals("m6"), "sent m6", SOON);
      }
      JsonNode gap = welcome(cluster, 0);
      assertThat(gap.path("reason").asText()).isEqualTo("gap");
      assertThat(gap.path("seq").asLong()).isEqualTo(6);
      assertThat(welcome(cluster, 1).path("resumed").asBoolean()).isTrue();
      set(cluster, Map.of("resumeTtlMs", 1L));
      Awaitility.await()
          .atMost(SOON)
          .untilAsserted(
              () -> assertThat(welcome(cluster, 1).path("reason").asText()).isEqualTo("expired"));
      assertThat(welcome(cluster, 6).path("resumed").asBoolean()).isTrue();
    }
  }

  private static JsonNode welcome(Cluster cluster, long lastSeq) throws InterruptedException {
    try (EdgeClient client = EdgeClient.connect(cluster.edgeUri(0))) {
      client.hello(Map.of("clientId", "late", "lastSeq", lastSeq));
      return client.await("welcome", SOON);
    }
  }

  @Test
  @Tag("campaign")
  @DisplayName("D2: a rolling restart of streams with changed rules under load gives no seq twice")
  void rollingRestart() throws InterruptedException {
    try (Cluster cluster = Cluster.start(ClusterSpec.named("rolling"));
        Traffic traffic = new Traffic(8, 200, 500, cluster.edgeUris());
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      traffic.start();
      traffic.awaitMore(1_000);
      for (int i = 0; i < 2; i++) {
        assertThat(cluster.streams(i).terminate()).isZero();
        set(cluster, Map.of("window", 128L - i, "maxBacklog", 400L + i));
        cluster.streams(i).start();
        traffic.awaitMore(1_000);
      }
      traffic.settle(Duration.ofSeconds(90));
      assertThat(traffic.ledger().violations()).isEmpty();
      assertThat(traffic.ledger().accepted()).isEqualTo((int) traffic.offered());
      assertThat(kafka.seqsGivenTwice()).isEmpty();
    }
  }
}
