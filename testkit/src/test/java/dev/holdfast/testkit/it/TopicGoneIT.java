package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.topic.Topics;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Topics that are deleted while they are used: what was asked is answered, and nobody spins. */
@Tag("campaign")
final class TopicGoneIT {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static Cluster cluster;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        Cluster.start(
            ClusterSpec.named("topic-gone")
                .withReplicas("a")
                .withEdges(1)
                .withEdgeOptions("--namespace", "late:publish=clients,other:publish=clients"));
    admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
    admin.createTopics(List.of(new NewTopic("other", 1, (short) 1))).all().get();
  }

  @AfterAll
  static void stop() {
    admin.close();
    cluster.close();
  }

  private static EdgeClient client(String user) throws InterruptedException {
    return EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", user, "lastSeq", 0));
  }

  private static void post(EdgeClient client, String id, String channel) {
    client.sendText(
        "{\"type\":\"send\",\"clientMsgId\":\"%s\",\"channel\":\"%s\",\"payload\":1}"
            .formatted(id, channel));
  }

  /** Publishes until that is settled, as any client would. */
  private static JsonNode publish(EdgeClient client, String id, String channel)
      throws InterruptedException {
    while (true) {
      post(client, id, channel);
      JsonNode answer = answer(client, id);
      if (!answer.path("retryable").asBoolean()) {
        return answer;
      }
      assertThat(answer.path("code").asText()).isEqualTo("overloaded");
      Thread.sleep(answer.path("retryAfterMs").asLong());
    }
  }

  private static JsonNode answer(EdgeClient client, String id) throws InterruptedException {
    return client.await(f -> f.path("clientMsgId").asText().equals(id), "answer to " + id, SOON);
  }

  @Test
  @DisplayName("a send on its way to a topic that is deleted is refused, and holds up no other")
  void channel() throws Exception {
    try (EdgeClient client = client("ann")) {
      JsonNode none = publish(client, "none", "late:d");
      assertThat(none.path("code").asText()).as(none.toString()).isEqualTo("unavailable");
      assertThat(none.path("retryable").asBoolean(true)).isFalse();

      admin.createTopics(List.of(new NewTopic("late", 1, (short) 1))).all().get();
      Awaitility.await()
          .atMost(SOON)
          .until(() -> publish(client, "first", "late:d").path("type").asText().equals("sent"));
      assertThat(publish(client, "warm", "other:d").path("type").asText()).isEqualTo("sent");

      admin.deleteTopics(List.of("late")).all().get();
      post(client, "stuck", "late:d");
      JsonNode stuck = answer(client, "stuck");
      assertThat(stuck.path("code").asText())
          .as(stuck.toString())
          .isIn("not_stored", "unavailable");
      if (stuck.path("retryable").asBoolean()) {
        client.sendTo("bob", "behind", "x");
        assertThat(answer(client, "behind").path("code").asText()).isEqualTo("out_of_order");
        assertThat(publish(client, "stuck", "late:d").path("code").asText())
            .isEqualTo("unavailable");
      }
      client.sendTo("bob", "behind", "x");
      assertThat(answer(client, "behind").path("type").asText()).isEqualTo("sent");
      assertThat(publish(client, "other", "other:d").path("type").asText()).isEqualTo("sent");
    }
  }

  @Test
  @DisplayName(
      "holdfast.presence is deleted while it is read: one line, no spinning, and back again")
  void presence() throws Exception {
    try (EdgeClient walt = client("walt")) {
      walt.sendText("{\"type\":\"watch\",\"users\":[\"zoe\"]}");
      told(walt, "offline");
      int partitions = partitions(Topics.PRESENCE);
      admin.deleteTopics(List.of(Topics.PRESENCE.topic())).all().get();
      Awaitility.await()
          .atMost(SOON)
          .until(() -> log().contains("cannot ask Kafka for holdfast.presence"));
      calm(); // nothing is read from here on
      assertThat(log().lines().filter(line -> line.contains("presence")).count()).isLessThan(10);

      NewTopic anew = new NewTopic(Topics.PRESENCE.topic(), partitions, (short) 1);
      admin
          .createTopics(List.of(anew.configs(Map.of("cleanup.policy", "compact,delete"))))
          .all()
          .get();
      EdgeClient zoe = client("zoe");
      told(walt, "online");
      zoe.close();
    }
  }

  @Test
  @DisplayName(
      "holdfast.deliveries is deleted: one line, no spinning; made anew, clients come back to it")
  void deliveries() throws Exception {
    try (EdgeClient dora = client("dora")) {
      int partitions = partitions(Topics.DELIVERIES);
      admin.deleteTopics(List.of(Topics.DELIVERIES.topic())).all().get();
      String line = "topic holdfast.deliveries does not exist any more";
      Awaitility.await().atMost(SOON).until(() -> log().contains(line));
      calm();
      assertThat(log().lines().filter(each -> each.contains(line))).hasSize(1);
      assertThat(dora.closed().isDone()).as("it would be no better elsewhere").isFalse();

      NewTopic anew = new NewTopic(Topics.DELIVERIES.topic(), partitions, (short) 1);
      admin.createTopics(List.of(anew.configs(Topics.DELIVERIES.config()))).all().get();
      assertThat(dora.awaitClosed(SOON).code()).isEqualTo(1012);
      assertThat(log()).contains("taking a new incarnation and closing all connections");
    }
  }

  private static int partitions(Topics topic) throws Exception {
    List<String> one = List.of(topic.topic());
    return admin
        .describeTopics(one)
        .allTopicNames()
        .get()
        .values()
        .iterator()
        .next()
        .partitions()
        .size();
  }

  /** A second of the edge's own time is far more than it needs in five. */
  private static void calm() {
    Duration before = cpu();
    long since = System.nanoTime();
    Awaitility.await()
        .atMost(SOON)
        .until(() -> System.nanoTime() - since > Duration.ofSeconds(5).toNanos());
    assertThat(cpu().minus(before)).isLessThan(Duration.ofSeconds(3));
  }

  private static void told(EdgeClient watcher, String status) throws InterruptedException {
    watcher.await(
        f -> f.path("user").asText().equals("zoe") && f.path("status").asText().equals(status),
        "zoe " + status,
        Duration.ofSeconds(40));
  }

  /** The log of this very process; those of former ones are in the same file. */
  private static String log() throws Exception {
    String all = Files.readString(cluster.edge(0).process().log());
    return all.substring(all.lastIndexOf("--- pid "));
  }

  private static Duration cpu() {
    return ProcessHandle.of(cluster.edge(0).process().pid())
        .orElseThrow()
        .info()
        .totalCpuDuration()
        .orElseThrow();
  }
}
