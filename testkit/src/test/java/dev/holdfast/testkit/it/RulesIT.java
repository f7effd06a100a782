package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.record.Rules;
import dev.holdfast.record.RulesCodec;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Limits that the log itself carries. */
final class RulesIT {
  private static final Duration SOON = Duration.ofSeconds(15);

  /** Each test sets the rules that it needs. */
  private static Cluster cluster;

  @BeforeAll
  static void start() throws InterruptedException {
    cluster = Cluster.start(ClusterSpec.named("rules").withReplicas("a").withEdges(1));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

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
    set(cluster, Map.of("maxBacklog", 5L));
    try (EdgeClient sender = sender()) {
      send(sender, "late", 1, 6);
    }
    JsonNode gap = welcome(0);
    assertThat(gap.path("reason").asText()).isEqualTo("gap");
    assertThat(gap.path("seq").asLong()).isEqualTo(6);
    assertThat(welcome(1).path("resumed").asBoolean()).isTrue();
    set(cluster, Map.of("resumeTtlMs", 1L));
    Awaitility.await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(welcome(1).path("reason").asText()).isEqualTo("expired"));
    assertThat(welcome(6).path("resumed").asBoolean()).isTrue();
  }

  private static JsonNode welcome(long lastSeq) throws InterruptedException {
    try (EdgeClient client = EdgeClient.connect(cluster.edgeUri(0))) {
      client.hello(Map.of("clientId", "late", "lastSeq", lastSeq));
      return client.await("welcome", SOON);
    }
  }

  @Test
  @DisplayName("R-4.4: what a mailbox does not keep, by count and by age, its history says is gone")
  void retention() throws Exception {
    try (EdgeClient sender = sender()) {
      set(cluster, Map.of("maxBacklog", 5L, "mailboxMessages", 5L));
      send(sender, "bob", 1, 12);
      assertThat(kept("bob", 0)).isEqualTo("8 to 12: 8 9 10 11 12");
      assertThat(kept("bob", 9)).isEqualTo("8 to 12: 10 11 12");

      send(sender, "zoe", 1, 3);
      assertThat(kept("zoe", 0)).isEqualTo("1 to 3: 1 2 3");
      set(cluster, Map.of("mailboxAgeMs", 1L));
      Awaitility.await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(kept("zoe", 0)).isEqualTo("4 to 3: "));
      set(cluster, Map.of("mailboxAgeMs", Rules.defaults(1).mailboxAgeMs()));
      send(sender, "zoe", 4, 4);
      assertThat(kept("zoe", 1)).isEqualTo("4 to 4: 4");
    }
  }

  private static EdgeClient sender() throws InterruptedException {
    return EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", "sender", "lastSeq", 0));
  }

  /** Message n has the payload n, and gets seq n. */
  private static void send(EdgeClient from, String to, int first, int last)
      throws InterruptedException {
    for (int n = first; n <= last; n++) {
      from.sendTo(to, to + n, n);
    }
    String id = to + last;
    from.await(f -> f.path("clientMsgId").asText().equals(id), "sent " + id, SOON);
  }

  /** The oldest seq that is kept, the newest, and the messages behind {@code after}. */
  private static String kept(String user, long after) throws Exception {
    String url = cluster.edgeHttp(0) + "/v1/history?user=" + user + "&after=" + after;
    HttpResponse<String> answer = Web.get(url);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode page = new ObjectMapper().readTree(answer.body());
    List<String> messages = new ArrayList<>();
    for (JsonNode message : page.path("messages")) {
      assertThat(message.path("payload").asText()).isEqualTo(message.path("seq").asText());
      messages.add(message.path("seq").asText());
    }
    return page.path("earliestSeq")
        + " to "
        + page.path("latestSeq")
        + ": "
        + String.join(" ", messages);
  }

  @Test
  @Tag("campaign")
  @DisplayName("D2: a rolling restart of streams with changed rules under load gives no seq twice")
  void rollingRestart() throws InterruptedException {
    try (Cluster rolling = Cluster.start(ClusterSpec.named("rolling"));
        Traffic traffic = new Traffic(8, 200, 500, rolling.edgeUris());
        KafkaLog kafka = new KafkaLog(rolling.bootstrap())) {
      traffic.start();
      traffic.awaitMore(1_000);
      for (int i = 0; i < 2; i++) {
        assertThat(rolling.streams(i).terminate()).isZero();
        set(rolling, Map.of("window", 128L - i, "maxBacklog", 400L + i));
        rolling.streams(i).start();
        traffic.awaitMore(1_000);
      }
      traffic.settle(Duration.ofSeconds(90));
      assertThat(traffic.ledger().violations()).isEmpty();
      assertThat(traffic.ledger().accepted()).isEqualTo((int) traffic.offered());
      assertThat(kafka.seqsGivenTwice()).isEmpty();
    }
  }
}
