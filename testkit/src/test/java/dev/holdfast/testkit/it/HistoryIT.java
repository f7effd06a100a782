package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.record.Rules;
import dev.holdfast.record.RulesCodec;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.PhoneClient;
import dev.holdfast.testkit.process.Phones;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a resume does not replay is read from history, while live messages come. */
final class HistoryIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long BACKLOG = 20;
  private static final long KEPT = 1_000;

  /** The client has so many of them when it begins. */
  private static final long HAD = 10;

  private static final int PAGE = 7;

  @Test
  @Tag("covered")
  @DisplayName("R-4.4, R-4.7: not resumed, then history from another edge, while live ones come")
  void everySeqOnce() throws Exception {
    try (Cluster cluster = Cluster.start(spec("history").withReplicas("a"));
        Phones phones = new Phones(5);
        FarBehind bob = new FarBehind("bob", HAD, List.of(cluster.edgeUri(0)))) {
      PhoneClient ann = phones.phone("ann", "ann-phone", cluster.edgeUris()).start();
      send(ann, 1, 100);
      bob.start();
      FarBehind.Gap gap = bob.gap();
      assertThat(gap.after()).isEqualTo(HAD);
      assertThat(gap.to()).isEqualTo(100);

      bob.read(gap, PAGE, List.of(cluster.edgeHttp(1)), page -> send(ann, 98 + 3 * page, 3));

      long latest = 100 + 3 * 13; // 90 messages are 13 pages
      caughtUp(bob, latest);
      assertThat(bob.welcomes()).isEqualTo(1);
      whatHistoryElseSays(cluster, gap.epoch(), latest);
    }
  }

  private static void whatHistoryElseSays(Cluster cluster, String epoch, long latest)
      throws Exception {
    String history = cluster.edgeHttp(0) + "/v1/history?user=";
    JsonNode end = page(history + "bob&after=" + latest + "&epoch=" + epoch);
    assertThat(end.path("messages")).isEmpty();
    assertThat(end.path("latestSeq").asLong()).isEqualTo(latest);
    assertThat(end.path("earliestSeq").asLong()).isEqualTo(1);
    assertThat(end.path("more").asBoolean()).isFalse();
    assertThat(page(history + "nobody").path("epoch").isNull()).isTrue();
    HttpResponse<String> other = Web.get(history + "bob&epoch=another");
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(JSON.readTree(other.body()).path("epoch").asText()).isEqualTo(epoch);
  }

  private static JsonNode page(String url) throws Exception {
    HttpResponse<String> answer = Web.get(url);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  @Test
  @Tag("campaign")
  @DisplayName("R-4.4, R-5.1: the same while edges and streams instances are killed")
  void everySeqOnceWhateverDies() throws Exception {
    try (Cluster cluster = Cluster.start(spec("history-kill"));
        Phones phones = new Phones(6);
        FarBehind bob = new FarBehind("bob", HAD, cluster.edgeUris())) {
      PhoneClient ann = phones.phone("ann", "ann-phone", cluster.edgeUris()).start();
      int first = 300;
      send(ann, 1, first);
      bob.start();
      long[] sent = {first};
      List<String> http = List.of(cluster.edgeHttp(1), cluster.edgeHttp(0));

      bob.read(
          bob.gap(),
          PAGE,
          http,
          page -> {
            more(ann, sent, 3);
            kill(cluster, page);
          });
      more(ann, sent, 100);
      do {
        caughtUpLive(bob, sent[0]);
        while (bob.hasGap()) {
          bob.read(bob.gap(), PAGE, http, page -> {});
        }
      } while (bob.live() < sent[0]);

      caughtUp(bob, sent[0]);
      assertThat(bob.welcomes()).isGreaterThan(1);
    }
  }

  /** Something dies after some of the pages, and what died before is started again. */
  private static void kill(Cluster cluster, int page) {
    try {
      switch (page) {
        case 5 -> cluster.edge(1).kill9();
        case 10 -> cluster.streams(0).kill9();
        case 15 -> cluster.edge(1).start();
        case 20 -> cluster.streams(0).start();
        case 25 -> cluster.streams(1).kill9();
        case 30 -> cluster.edge(0).kill9();
        default -> {}
      }
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  private static ClusterSpec spec(String name) {
    return ClusterSpec.named(name).withRules(HistoryIT::rules);
  }

  private static Rules rules(Rules rules) {
    Map<String, Long> map = RulesCodec.toMap(rules);
    map.putAll(Map.of("maxBacklog", BACKLOG, "mailboxMessages", KEPT));
    return RulesCodec.fromMap(map);
  }

  /** Message n has the payload n, and gets seq n. */
  private static void send(PhoneClient from, long first, int count) {
    LongStream.range(first, first + count).forEach(n -> from.send("bob", "\"" + n + "\""));
    Awaitility.await().atMost(PATIENCE).until(() -> from.unsent() == 0);
  }

  private static void more(PhoneClient from, long[] sent, int count) {
    for (int i = 0; i < count; i++) {
      from.send("bob", "\"" + ++sent[0] + "\"");
    }
  }

  private static void caughtUpLive(FarBehind bob, long latest) {
    Awaitility.await().atMost(PATIENCE).until(() -> bob.live() >= latest || bob.hasGap());
  }

  private static void caughtUp(FarBehind bob, long latest) {
    Awaitility.await().atMost(PATIENCE).until(() -> bob.live() >= latest);
    assertThat(bob.violations()).isEmpty();
    NavigableMap<Long, String> seen = bob.seen();
    assertThat(seen.keySet())
        .containsExactlyElementsOf(LongStream.rangeClosed(HAD + 1, latest).boxed().toList());
    seen.forEach((seq, payload) -> assertThat(payload).isEqualTo(Long.toString(seq)));
  }
}
