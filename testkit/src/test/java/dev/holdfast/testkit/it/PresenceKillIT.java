package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.record.RulesCodec;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Presence while instances of streams and an edge are killed, and how long a change takes. */
@Tag("campaign")
final class PresenceKillIT {
  private static final Logger LOG = LoggerFactory.getLogger(PresenceKillIT.class);
  private static final long SEED = Long.getLong("holdfast.kill.seed", 20261130);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final Duration SETTLED = Duration.ofSeconds(60);
  private static final long LEAVE_MS = 1_000;
  private static final List<String> USERS =
      IntStream.range(0, 40).mapToObj(i -> "user-" + i).toList();

  private final Random random = new Random(SEED);
  private final Map<String, EdgeClient> connected = new HashMap<>();

  private static ClusterSpec spec(String name) {
    return ClusterSpec.named(name)
        .withRules(
            rules -> {
              Map<String, Long> map = new HashMap<>(RulesCodec.toMap(rules));
              map.put("leaveDelayMs", LEAVE_MS);
              return RulesCodec.fromMap(map);
            });
  }

  private static EdgeClient client(Cluster cluster, int edge, String user)
      throws InterruptedException {
    return EdgeClient.welcomed(
        cluster.edgeUri(edge), Map.of("clientId", user, "lastSeq", 0, "watch", List.of()));
  }

  private static EdgeClient watcher(Cluster cluster, int edge) throws InterruptedException {
    EdgeClient watcher = client(cluster, edge, "watcher-" + edge);
    watcher.send(JSON.valueToTree(Map.of("type", "watch", "users", USERS)));
    return watcher;
  }

  @Test
  @DisplayName(
      "kill -9 of streams and of an edge, and a zombie, under connects and ends, leave no ghost")
  void noGhosts() throws Exception {
    LOG.info("seed {} (-Dholdfast.kill.seed=N repeats it)", SEED);
    try (Cluster cluster = Cluster.start(spec("presence-kill"));
        EdgeClient watcher = watcher(cluster, 0)) {
      for (int i = 0; i < 2; i++) {
        churn(cluster, 4);
        cluster.streams(i).kill9();
        churn(cluster, 8);
        cluster.streams(i).start();
        watcher.sendText("ping");
      }
      zombie(cluster);
      watcher.sendText("ping");
      churn(cluster, 4);
      cluster.edge(1).kill9();
      connected.values().removeIf(client -> client.closed().isDone());
      cluster.edge(1).start();
      for (int edge = 0; edge < 2; edge++) {
        agrees(cluster, edge);
      }
      Map<String, String> told = new HashMap<>();
      watcher.send(JSON.valueToTree(Map.of("type", "watch", "users", List.of("fence"))));
      drain(watcher, told);
      for (String user : USERS) {
        assertThat(told.get(user)).as(user).isEqualTo(status(user));
      }
      connected.values().forEach(EdgeClient::abort);
      connected.clear();
      agrees(cluster, 0);
      agrees(cluster, 1);
    }
  }

  /**
   * An instance stands still just after everybody came, until the other one has taken over and has
   * seen all of them leave. What it still has in hand when it goes on is older than that.
   */
  private void zombie(Cluster cluster) throws InterruptedException {
    for (String user : USERS) {
      if (!connected.containsKey(user)) {
        connect(cluster, user);
      }
    }
    cluster.streams(0).pause();
    connected.values().forEach(client -> client.close(1000, ""));
    connected.clear();
    try (KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      Awaitility.await()
          .atMost(SETTLED)
          .pollInterval(Duration.ofMillis(500))
          .untilAsserted(() -> assertThat(lastWritten(kafka)).doesNotContainValue("online"));
      cluster.streams(0).resume();
      agrees(cluster, 0);
      agrees(cluster, 1);
      Map<String, Long> revs = new HashMap<>();
      for (ConsumerRecord<byte[], byte[]> record : kafka.committed(Topics.PRESENCE)) {
        JsonNode state = json(record);
        Long before = revs.put(state.path("user").asText(), state.path("rev").asLong());
        assertThat(before == null || before <= state.path("rev").asLong())
            .as("%s after rev %s", state, before)
            .isTrue();
      }
    }
    assertThat(cluster.streams(0).isAlive()).isTrue();
  }

  /** Of each user, also in transactions that are open. */
  private static Map<String, String> lastWritten(KafkaLog kafka) {
    Map<String, String> last = new HashMap<>();
    kafka.readAll(
        Topics.PRESENCE,
        record -> {
          JsonNode state = json(record);
          last.put(state.path("user").asText(), state.path("status").asText());
        });
    last.keySet().retainAll(USERS);
    return last;
  }

  private static JsonNode json(ConsumerRecord<byte[], byte[]> record) {
    try {
      return JSON.readTree(record.value());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String status(String user) {
    EdgeClient client = connected.get(user);
    return client == null || client.closed().isDone() ? "offline" : "online";
  }

  /** Connects and disconnects; a connection that gets no welcome now is one that was not there. */
  private void churn(Cluster cluster, int seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < end) {
      String user = USERS.get(random.nextInt(USERS.size()));
      EdgeClient client = connected.remove(user);
      if (client == null) {
        connect(cluster, user);
      } else if (random.nextBoolean()) {
        client.close(1000, "");
      } else {
        client.abort();
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private void connect(Cluster cluster, String user) throws InterruptedException {
    EdgeClient client = EdgeClient.connect(cluster.edgeUri(random.nextInt(2)));
    client.hello(Map.of("clientId", user, "lastSeq", 0));
    connected.put(user, client);
  }

  private void agrees(Cluster cluster, int edge) {
    Awaitility.await()
        .atMost(SETTLED)
        .untilAsserted(
            () -> {
              for (String user : USERS) {
                var answer = Web.get(cluster.edgeHttp(edge) + "/v1/presence/" + user);
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                JsonNode presence = JSON.readTree(answer.body());
                assertThat(presence.path("status").asText())
                    .as("%s at edge %s: %s", user, edge, presence)
                    .isEqualTo(status(user));
              }
            });
  }

  /** What the watcher was told last of each, which alternates: no state comes twice. */
  private static void drain(EdgeClient watcher, Map<String, String> told)
      throws InterruptedException {
    while (true) {
      JsonNode frame = watcher.await("presence", SOON);
      String user = frame.path("user").asText();
      if (user.equals("fence")) {
        return;
      }
      String before = told.put(user, frame.path("status").asText());
      assertThat(frame.path("status").asText()).as("%s again", frame).isNotEqualTo(before);
    }
  }
}
