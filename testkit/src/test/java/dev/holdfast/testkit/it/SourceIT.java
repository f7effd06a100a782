package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.topic.Topics;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** What sources do with records of all kinds, and with topics that come, grow and go. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class SourceIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String[] OPTIONS = {
    "--source=orders:from=shop", "--source=notes:format=text,blobs:format=base64:start=earliest"
  };

  private static SourceCluster cluster;
  private static HoldfastProcess streams;

  @BeforeAll
  static void start() throws Exception {
    cluster = new SourceCluster("source");
    for (String topic : List.of("orders", "notes", "blobs")) {
      cluster.makeTopic(topic, 2);
    }
    cluster.write("orders", "bob", "\"before the first start, which is at the end\"").get();
    cluster.write("blobs", "bob", "before, from the earliest").get();
    streams = cluster.streams(0, OPTIONS).awaitReady(SourceCluster.READY);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static EdgeClient client(String user) throws InterruptedException {
    return EdgeClient.welcomed(
        cluster.cluster().edgeUri(0), Map.of("clientId", user, "lastSeq", 0));
  }

  @Test
  @Order(1)
  @DisplayName("D1: JSON, text and bytes arrive, from the source's sender, whatever their time")
  void formats() throws Exception {
    long old = Instant.parse("2001-01-01T00:00:00Z").toEpochMilli();
    cluster.write("orders", "bob", "{\"n\": 1}".getBytes(StandardCharsets.UTF_8), old).get();
    cluster.write("orders", "bob", "{\"n\": 1}").get(); // the same once more is another record
    cluster.write("notes", "bob", "a \"note\"").get();
    try (EdgeClient bob = client("bob")) {
      List<String> got = new ArrayList<>();
      for (JsonNode message : bob.messages(4, SOON)) {
        got.add(message.path("from").asText() + " " + message.path("payload"));
      }
      assertThat(got)
          .containsExactlyInAnyOrder(
              "shop {\"n\":1}",
              "shop {\"n\":1}",
              "notes \"a \\\"note\\\"\"",
              "blobs \"YmVmb3JlLCBmcm9tIHRoZSBlYXJsaWVzdA==\"");
    }
  }

  @Test
  @Order(2)
  @DisplayName("D13: bad records go to dead letters with their place, tombstones nowhere")
  void deadLetters() throws Exception {
    cluster.write("orders", "ann", "{not JSON").get();
    cluster.write("orders", null, "1").get();
    cluster.write("orders", "no user", "2").get();
    cluster.write("orders", "ann", (byte[]) null).get();
    cluster.write("blobs", "ann", new byte[800_000]).get();
    cluster.write("orders", "ann", "\"good\"").get();
    try (EdgeClient ann = client("ann");
        KafkaLog kafka = new KafkaLog(cluster.cluster().bootstrap())) {
      assertThat(ann.messages(1, SOON).get(0).path("payload").asText()).isEqualTo("good");
      Awaitility.await().atMost(SOON).until(() -> kafka.committed(Topics.DEAD_LETTERS).size() == 4);
      List<String> letters = new ArrayList<>();
      for (ConsumerRecord<byte[], byte[]> letter : kafka.committed(Topics.DEAD_LETTERS)) {
        letters.add(KafkaLog.header(letter, "topic") + " " + KafkaLog.header(letter, "reason"));
        assertThat(KafkaLog.header(letter, "partition")).matches("[01]");
        assertThat(KafkaLog.header(letter, "offset")).isNotEmpty();
        assertThat(KafkaLog.header(letter, "detail")).isNotEmpty().doesNotContain("not JSON}");
      }
      assertThat(letters)
          .containsExactlyInAnyOrder(
              "orders bad_value", "orders bad_key", "orders bad_key", "blobs too_large");
      String page = page();
      assertThat(page)
          .contains("holdfast_streams_source_skipped_total{replica=\"a\"} 1.0")
          .contains(
              "holdfast_streams_source_dead_letters_total{reason=\"bad_key\",replica=\"a\"} 2.0");
    }
  }

  private static String page() throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(cluster.metricsUri(0))).build(),
            BodyHandlers.ofString())
        .body();
  }

  @Test
  @Order(3)
  @DisplayName("a partition that is added is read from its start, a topic made anew as well")
  void topicsChange() throws Exception {
    cluster.admin().createPartitions(Map.of("orders", NewPartitions.increaseTo(6))).all().get();
    List<String> expected = new ArrayList<>();
    for (int n = 0; n < 12; n++) {
      cluster.write("orders", "user" + n, String.valueOf(n)).get();
      expected.add(String.valueOf(n));
    }
    List<String> got = new ArrayList<>();
    for (int n = 0; n < 12; n++) {
      try (EdgeClient user = client("user" + n)) {
        got.add(user.messages(1, SOON).get(0).path("payload").toString());
      }
    }
    assertThat(got).isEqualTo(expected);

    cluster.deleteTopic("orders");
    Awaitility.await()
        .atMost(SOON)
        .until(() -> !cluster.admin().listTopics().names().get().contains("orders"));
    cluster.makeTopic("orders", 2);
    Awaitility.await()
        .atMost(SOON)
        .ignoreExceptions()
        .until(() -> cluster.write("orders", "carl", "\"anew\"").get().offset() >= 0);
    try (EdgeClient carl = client("carl")) {
      assertThat(carl.messages(1, SOON).get(0).path("payload").asText()).isEqualTo("anew");
    }
  }

  @Test
  @Order(4)
  @DisplayName(
      "an orderly end commits: the next start copies nothing again, also where it was moved")
  void restart() throws Exception {
    assertThat(streams.terminate(Duration.ofSeconds(40))).isZero();
    long before = copies();
    streams = cluster.streams(0, OPTIONS).awaitReady(SourceCluster.READY);
    cluster.write("notes", "dora", "after the restart").get();
    try (EdgeClient dora = client("dora")) {
      assertThat(dora.messages(1, SOON).get(0).path("payload").asText())
          .isEqualTo("after the restart");
    }
    assertThat(copies()).isEqualTo(before + 1);

    assertThat(streams.terminate(Duration.ofSeconds(40))).isZero();
    Map<TopicPartition, OffsetAndMetadata> start =
        Map.of(
            new TopicPartition("notes", 0), new OffsetAndMetadata(0),
            new TopicPartition("notes", 1), new OffsetAndMetadata(0));
    cluster.admin().alterConsumerGroupOffsets("holdfast-source-notes", start).all().get();
    streams = cluster.streams(0, OPTIONS).awaitReady(SourceCluster.READY);
    Awaitility.await().atMost(SOON).until(() -> copies() == before + 1 + 2);
    cluster.write("notes", "dora", "and after the repeats").get();
    try (EdgeClient dora = client("dora")) {
      assertThat(dora.messages(2, SOON))
          .extracting(m -> m.path("payload").asText())
          .containsExactly("after the restart", "and after the repeats");
    }
  }

  private static long copies() {
    try (KafkaLog kafka = new KafkaLog(cluster.cluster().bootstrap())) {
      return kafka.committed(Topics.EVENTS).stream()
          .filter(e -> new String(e.value(), StandardCharsets.UTF_8).contains("\"clientMsgId\""))
          .count();
    }
  }

  @Test
  @Order(5)
  @DisplayName("a log that lost its end and was written on: the source goes on where it was cut")
  void cut() throws Exception {
    cutAndWriteOn("ed", true);
    cutAndWriteOn("flo", false);
  }

  private static void cutAndWriteOn(String user, boolean meanwhileRunning) throws Exception {
    int partition = cluster.write("notes", user, "kept").get().partition();
    Segment kept = Segment.of(cluster.cluster(), "notes", partition);
    long first = cluster.write("notes", user, "gone 1").get().offset();
    cluster.write("notes", user, "gone 2").get();
    try (EdgeClient client = client(user)) {
      assertThat(client.messages(3, SOON)).hasSize(3);
    }
    if (!meanwhileRunning) {
      assertThat(streams.terminate(Duration.ofSeconds(40))).isZero();
    }
    assertThat(cluster.cluster().broker().terminate()).isZero();
    kept.cut();
    cluster.cluster().broker().start();
    try (ChannelTopic notes = ChannelTopic.of(cluster.cluster().bootstrap(), "notes")) {
      assertThat(notes.send(user, "in its place 1").offset()).isEqualTo(first);
      notes.send(user, "in its place 2");
      notes.send(user, "behind");
    }
    if (!meanwhileRunning) {
      streams = cluster.streams(0, OPTIONS).awaitReady(SourceCluster.READY);
    }
    try (EdgeClient client = client(user)) {
      assertThat(client.messages(6, SOON))
          .extracting(m -> m.path("payload").asText())
          .containsExactly(
              "kept", "gone 1", "gone 2", "in its place 1", "in its place 2", "behind");
    }
    assertThat(streams.tail()).contains("which was cut at " + first);
  }

  @Test
  @Order(6)
  @DisplayName("what cannot be a source is refused in a sentence")
  void refusals() throws Exception {
    HoldfastProcess missing = cluster.streams(7, "--source=absent");
    HoldfastProcess own = cluster.streams(8, "--source=holdfast.presence");

    assertThat(missing.awaitExit(SourceCluster.READY)).isEqualTo(1);
    assertThat(missing.tail()).contains("topic absent of --source does not exist; make it");
    assertThat(own.awaitExit(SourceCluster.READY)).isEqualTo(2);
    assertThat(own.tail()).contains("topic holdfast.presence cannot be a source");
  }
}
