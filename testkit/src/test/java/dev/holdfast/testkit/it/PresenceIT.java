package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.record.Rules;
import dev.holdfast.record.RulesCodec;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.topic.Topics;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is online, as watchers and {@code GET /v1/presence} on other edges are told. An edge is
 * killed at the beginning, and the last test looks what became of its users.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class PresenceIT {
  private static final Logger LOG = LoggerFactory.getLogger(PresenceIT.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SOON = Duration.ofSeconds(15);

  /**
   * What a killed edge's users may take to be offline by the requirement, with rosters every 5 s.
   */
  private static final Duration LAPSE = Duration.ofSeconds(20);

  private static final long LEAVE_MS = 3_000;

  private static Cluster cluster;
  private static CompletableFuture<Long> offlineAfterMs;

  @BeforeAll
  static void start() throws InterruptedException {
    cluster =
        Cluster.start(
            ClusterSpec.named("presence")
                .withReplicas("a")
                .withEdges(3)
                .withRules(PresenceIT::quickLeave));
    offlineAfterMs = killAnEdge();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static Rules quickLeave(Rules rules) {
    Map<String, Long> map = new HashMap<>(RulesCodec.toMap(rules));
    map.put("leaveDelayMs", LEAVE_MS);
    return RulesCodec.fromMap(map);
  }

  private static EdgeClient client(int edge, String user, String clientId)
      throws InterruptedException {
    return EdgeClient.welcomed(
        cluster.edgeUri(edge), Map.of("clientId", clientId, "user", user, "lastSeq", 0));
  }

  private static void watch(EdgeClient watcher, String type, List<String> users) {
    watcher.send(JSON.valueToTree(Map.of("type", type, "users", users)));
  }

  private static JsonNode told(EdgeClient watcher, String user) throws InterruptedException {
    return told(watcher, user, SOON);
  }

  private static JsonNode told(EdgeClient watcher, String user, Duration within)
      throws InterruptedException {
    return watcher.await(
        f -> f.path("type").asText().equals("presence") && f.path("user").asText().equals(user),
        "presence of " + user,
        within);
  }

  private static JsonNode get(int edge, String user) throws Exception {
    HttpResponse<String> answer = Web.get(cluster.edgeHttp(edge) + "/v1/presence/" + user);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private static String status(JsonNode presence) {
    return presence.path("status").asText();
  }

  @Test
  @DisplayName("watch tells now and each change; a second device and a short outage are no change")
  void watchTellsNowAndEachChange() throws Exception {
    try (EdgeClient watcher = client(1, "walt", "walt-1")) {
      watch(watcher, "watch", List.of("bob", "nobody"));
      for (String user : List.of("bob", "nobody")) {
        JsonNode now = told(watcher, user);
        assertThat(now.toString())
            .isEqualTo(
                "{\"type\":\"presence\",\"user\":\""
                    + user
                    + "\",\"status\":\"offline\",\"since\":0,\"lastSeen\":0}");
      }
      EdgeClient phone = client(0, "bob", "phone");
      JsonNode online = told(watcher, "bob");
      assertThat(status(online)).isEqualTo("online");
      EdgeClient laptop = client(1, "bob", "laptop");
      bothEdgesAgree("bob", 2);
      phone.abort();
      laptop.abort();
      phone = client(1, "bob", "phone");
      TimeUnit.MILLISECONDS.sleep(LEAVE_MS + 1_500); // nothing is to happen for so long
      bothEdgesAgree("bob", 1);
      phone.close(1000, "bye");
      JsonNode offline = told(watcher, "bob");
      // The next frame after online is offline: neither device nor outage made another one.
      assertThat(status(offline)).isEqualTo("offline");
      assertThat(offline.path("since").asLong() - offline.path("lastSeen").asLong())
          .isBetween(LEAVE_MS, LEAVE_MS + 5_000);
      assertThat(get(0, "bob").path("lastSeen")).isEqualTo(offline.path("lastSeen"));
      watch(watcher, "unwatch", List.of("bob"));
      try (EdgeClient again = client(0, "bob", "phone");
          EdgeClient fence = client(0, "nobody", "n-1")) {
        assertThat(status(told(watcher, "nobody"))).isEqualTo("online");
        assertThat(again.closed()).isNotDone();
        assertThat(fence.closed()).isNotDone();
        assertThat(watcher.pending().toString()).doesNotContain("\"bob\"");
      }
    }
  }

  @Test
  @DisplayName("D15: what a zombie says late, an older online after an offline, reaches nobody")
  void olderIsDropped() throws Exception {
    try (EdgeClient watcher = client(0, "wilma", "wilma-1");
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      watch(watcher, "watch", List.of("zed"));
      assertThat(status(told(watcher, "zed"))).isEqualTo("offline");
      says(kafka, "online", 101);
      assertThat(told(watcher, "zed").path("since").asInt()).isEqualTo(101);
      says(kafka, "offline", 103);
      assertThat(told(watcher, "zed").path("since").asInt()).isEqualTo(103);
      says(kafka, "online", 102);
      says(kafka, "online", 104);
      JsonNode next = told(watcher, "zed");
      assertThat(status(next)).isEqualTo("online");
      assertThat(next.path("since").asInt()).as("not 102").isEqualTo(104);
      assertThat(get(0, "zed").path("since").asInt()).isEqualTo(104);
    }
  }

  /** As streams does, which knows nobody of that name. */
  private static void says(KafkaLog kafka, String status, int rev) throws InterruptedException {
    String json =
        "{\"user\":\"zed\",\"status\":\"%s\",\"since\":%d,\"lastSeen\":0,\"clients\":[],"
            + "\"rev\":%d}";
    byte[] value = json.formatted(status, rev, rev).getBytes(StandardCharsets.UTF_8);
    kafka.write(Topics.PRESENCE, null, "zed", value);
  }

  private static void bothEdgesAgree(String user, int clients) throws Exception {
    long end = System.nanoTime() + SOON.toNanos();
    JsonNode one = get(0, user);
    JsonNode other = get(1, user);
    while ((one.path("clients").size() != clients || !one.equals(other))
        && System.nanoTime() < end) {
      one = get(0, user);
      other = get(1, user);
    }
    assertThat(one).isEqualTo(other);
    assertThat(status(one)).isEqualTo("online");
    assertThat(one.path("clients")).hasSize(clients);
  }

  /** Two clients of one user on an edge that is killed, and a watcher on another one. */
  private static CompletableFuture<Long> killAnEdge() throws InterruptedException {
    EdgeClient watcher = client(0, "wanda", "wanda-1");
    EdgeClient first = client(2, "dave", "dave-1");
    EdgeClient second = client(2, "dave", "dave-2");
    watch(watcher, "watch", List.of("dave"));
    while (!status(told(watcher, "dave")).equals("online")) {
      assertThat(first.closed()).isNotDone();
    }
    assertThat(second.closed()).isNotDone();
    long from = System.nanoTime();
    cluster.edge(2).kill9();
    CompletableFuture<Long> offlineAfterMs = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try (watcher) {
                assertThat(status(told(watcher, "dave", LAPSE.multipliedBy(2))))
                    .isEqualTo("offline");
                offlineAfterMs.complete((System.nanoTime() - from) / 1_000_000);
              } catch (InterruptedException | AssertionError e) {
                offlineAfterMs.completeExceptionally(e);
              }
            });
    waiting.setDaemon(true);
    waiting.start();
    return offlineAfterMs;
  }

  @Test
  @Order(Integer.MAX_VALUE)
  @DisplayName("a killed edge's users are offline within 20 s, and a watcher elsewhere is told")
  void killedEdge() throws Exception {
    long ms = offlineAfterMs.get(2 * LAPSE.toSeconds(), TimeUnit.SECONDS);
    LOG.info("offline {} ms after the kill", ms);
    assertThat(ms).isLessThan(LAPSE.toMillis());
    assertThat(status(get(1, "dave"))).isEqualTo("offline");
    assertThat(get(1, "dave")).isEqualTo(get(0, "dave"));
  }

  @Test
  @DisplayName("hello.watch is answered after the welcome, on whichever edge")
  void returnsWithTheHello() throws Exception {
    Map<String, Object> hello =
        Map.of("clientId", "wes-1", "user", "wes", "watch", List.of("wes", "carl"));
    for (int edge = 0; edge < 2; edge++) {
      try (EdgeClient watcher = EdgeClient.welcomed(cluster.edgeUri(edge), hello)) {
        told(watcher, "carl");
        try (EdgeClient carl = client(0, "carl", "carl-" + edge)) {
          while (!status(told(watcher, "wes")).equals("online")) {
            // the first may come before one's own connection was told
          }
          assertThat(carl.closed()).isNotDone();
        }
      }
    }
  }

  @Test
  @DisplayName("1000 users on one connection, and no more")
  void thousandUsers() throws Exception {
    List<String> users = IntStream.range(0, 1_000).mapToObj(i -> "user-" + i).toList();
    try (EdgeClient watcher = client(1, "wim", "wim-1")) {
      watch(watcher, "watch", users);
      Set<String> seen = new HashSet<>();
      while (seen.size() < users.size()) {
        seen.add(watcher.await("presence", SOON).path("user").asText());
      }
      assertThat(seen).containsExactlyInAnyOrderElementsOf(users);
      watch(watcher, "watch", List.of("one-too-many"));
      JsonNode error = watcher.await("error", SOON);
      assertThat(error.path("code").asText()).isEqualTo("too_many");
      watch(watcher, "unwatch", List.of("user-0"));
      watch(watcher, "watch", List.of("one-too-many"));
      assertThat(status(told(watcher, "one-too-many"))).isEqualTo("offline");
    }
  }
}
