package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventWriter;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import dev.holdfast.topic.Topics;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What comes late, wakes up, or pretends to be somebody else. */
final class StaleIT {
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final Duration LAPSE = Duration.ofSeconds(40);

  private static Cluster cluster;
  private static KafkaLog kafka;

  @BeforeAll
  static void start() throws InterruptedException {
    cluster = Cluster.start(ClusterSpec.named("stale").withReplicas("a"));
    kafka = new KafkaLog(cluster.bootstrap());
  }

  @AfterAll
  static void stop() {
    kafka.close();
    cluster.close();
  }

  private static EdgeClient client(int edge, String user, Object attempt)
      throws InterruptedException {
    return EdgeClient.welcomed(
        cluster.edgeUri(edge), Map.of("clientId", user, "lastSeq", 0, "attempt", attempt));
  }

  private static Optional<JsonNode> presence(String user) {
    return kafka.newest(Topics.PRESENCE, user);
  }

  private static void awaitStatus(String user, String status) {
    Awaitility.await()
        .atMost(LAPSE)
        .pollInterval(Duration.ofMillis(300))
        .until(() -> presence(user).map(p -> p.path("status").asText()).orElse("").equals(status));
  }

  @Test
  @DisplayName("D6: a connect that arrives late, from a stalled edge, changes nothing")
  void lateConnect() throws InterruptedException {
    EdgeRef stalled = new EdgeRef("stalled-edge", "inc1", 0);
    try (EdgeClient live = client(0, "paula", 10);
        EdgeClient friend = client(1, "quinn", 1)) {
      awaitStatus("paula", "online");
      kafka.write(
          Topics.EVENTS,
          null,
          "paula",
          EventWriter.write(new Event.Connect("paula", "late-conn", stalled, 0L, null, 9L)));
      kafka.write(
          Topics.EVENTS,
          null,
          "paula",
          EventWriter.write(new Event.Ack("paula", "late-conn", stalled, 5)));
      kafka.write(
          Topics.EVENTS,
          null,
          "paula",
          EventWriter.write(new Event.Disconnect("paula", "late-conn", stalled, "late")));
      friend.sendTo("paula", "q1", "still yours");
      assertThat(live.messages(1, SOON).get(0).path("seq").asLong()).isEqualTo(1);
      assertThat(presence("paula").orElseThrow().path("clients")).hasSize(1);
      assertThat(presence("paula").orElseThrow().path("clients").get(0).path("edge").asText())
          .isEqualTo("edge-1");
      assertThat(live.closed()).isNotDone();
      assertThat(toldTo("late-conn")).contains("{\"code\":4002}");
    }
  }

  private static List<String> toldTo(String connId) {
    List<String> told = new java.util.ArrayList<>();
    kafka.readAll(
        Topics.DELIVERIES,
        r -> {
          if (KafkaLog.header(r, DeliveryHeaders.CONN).equals(connId)) {
            told.add(new String(r.value(), StandardCharsets.UTF_8));
          }
        });
    return told;
  }

  @Test
  @Tag("soak")
  @DisplayName(
      "D10: a paused edge lapses, only its clients go offline, and it closes them on waking")
  void pausedEdge() throws InterruptedException {
    EdgeClient asleep = client(1, "rita", 1);
    try (EdgeClient awake = client(0, "sam", 1)) {
      awaitStatus("rita", "online");
      awaitStatus("sam", "online");
      cluster.edge(1).pause();
      awaitStatus("rita", "offline");
      assertThat(presence("sam").orElseThrow().path("status").asText()).isEqualTo("online");
      cluster.edge(1).resume();
      assertThat(asleep.awaitClosed(SOON).code()).isEqualTo(1012);
      assertThat(awake.closed()).isNotDone();
      try (EdgeClient back = client(1, "rita", 2)) {
        awaitStatus("rita", "online");
        awake.sendTo("rita", "s1", 1);
        assertThat(back.messages(1, SOON)).hasSize(1);
      }
    }
  }

  @Test
  @DisplayName("D10: a killed edge's clients go offline, and only they; the same id starts again")
  void killedEdge() throws InterruptedException {
    EdgeClient gone = client(1, "tina", 1);
    try (EdgeClient stays = client(0, "uwe", 1)) {
      awaitStatus("tina", "online");
      awaitStatus("uwe", "online");
      cluster.edge(1).kill9();
      cluster.edge(1).start();
      assertThat(gone.awaitClosed(SOON).code()).isEqualTo(1006);
      awaitStatus("tina", "offline");
      assertThat(presence("uwe").orElseThrow().path("status").asText()).isEqualTo("online");
      try (EdgeClient back = client(1, "tina", 2)) {
        stays.sendTo("tina", "u1", 1);
        assertThat(back.messages(1, SOON)).hasSize(1);
        awaitStatus("tina", "online");
      }
    }
  }

  @Test
  @DisplayName("D7: two edges under one id disturb nobody")
  void copiedId() throws InterruptedException {
    int port = TestPorts.free();
    try (HoldfastProcess copy =
            HoldfastProcess.start(
                    "stale-copied-edge",
                    List.of(
                        "edge",
                        "--bootstrap",
                        cluster.bootstrap(),
                        "--port",
                        Integer.toString(port),
                        "--edge-id",
                        "edge-1"))
                .awaitReady(Duration.ofMinutes(1));
        EdgeClient one = client(0, "vera", 1);
        EdgeClient two =
            EdgeClient.welcomed(
                URI.create("ws://127.0.0.1:" + port + "/v1/ws"),
                Map.of("clientId", "walt", "lastSeq", 0))) {
      one.sendTo("walt", "v1", 1);
      two.sendTo("vera", "w1", 2);
      assertThat(two.messages(1, SOON).get(0).path("payload").asInt()).isEqualTo(1);
      assertThat(one.messages(1, SOON).get(0).path("payload").asInt()).isEqualTo(2);
      assertThat(copy.isAlive()).isTrue();
    }
  }
}
