package dev.holdfast.testkit.it;

import static dev.holdfast.testkit.it.ChannelIT.event;
import static dev.holdfast.testkit.it.ChannelIT.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.channel.Position;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What may happen to a topic while its keys are channels, on a real broker. */
@Tag("campaign")
final class ChannelTopicsIT {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static Cluster cluster;
  private static Admin admin;

  @BeforeAll
  static void start() throws InterruptedException {
    cluster =
        Cluster.start(
            ClusterSpec.named("channel-topics")
                .withReplicas("a")
                .withEdgeOptions(
                    "--namespace",
                    "tx,gone,cut,short,fresh,busy,values:mode=latest,big:mode=latest,late,"
                        + "many:publish=clients"));
    admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
  }

  @AfterAll
  static void stop() {
    admin.close();
    cluster.close();
  }

  @Test
  @DisplayName(
      "transactions: what was taken back is not seen, markers are no gap, an open one waits")
  void transactions() throws Exception {
    try (ChannelTopic topic = topic("tx", 1, Map.of());
        KafkaProducer<byte[], byte[]> producer = transactional("one");
        KafkaProducer<byte[], byte[]> slow = transactional("two");
        EdgeClient live = client(0, "tx-live")) {
      String begin = subscribe(live, "tx:k", null).path("position").asText();
      producer.initTransactions();
      slow.initTransactions();
      transaction(producer, "tx", "k", "1", true);
      transaction(producer, "tx", "k", "2", false);
      transaction(producer, "tx", "k", "3", true);
      assertThat(payloads(live, "tx:k", 2)).containsExactly("1", "3");
      String position = subscribe(live, "tx:k", begin).path("position").asText();
      assertThat(payloads(live, "tx:k", 2)).containsExactly("1", "3");

      slow.beginTransaction();
      slow.send(record("tx", "k", "4")).get();
      transaction(producer, "tx", "k", "5", true);
      try (EdgeClient other = client(1, "tx-other")) {
        assertThat(subscribe(other, "tx:k", position).path("recovered").asBoolean()).isTrue();
        assertThat(payloads(other, "tx:k", 2)).containsExactly("1", "3");
        assertThat(events(live)).isZero();
        slow.commitTransaction();
        topic.send("k", "6");
        assertThat(payloads(live, "tx:k", 3)).containsExactly("4", "5", "6");
        assertThat(payloads(other, "tx:k", 3)).containsExactly("4", "5", "6");
        assertThat(events(live) + events(other)).isZero();
      }
    }
  }

  @Test
  @DisplayName("a topic that was made anew: told to those who are there and to those who come back")
  void recreated() throws Exception {
    String position;
    try (EdgeClient live = client(0, "gone-live")) {
      try (ChannelTopic topic = topic("gone", 1, Map.of())) {
        subscribe(live, "gone:k", null);
        topic.send("k", "1");
        position = event(live, "gone:k").path("position").asText();
      }
      admin.deleteTopics(List.of("gone")).all().get();
      try (ChannelTopic topic = recreate("gone")) {
        JsonNode told = live.await(ChannelTopicsIT::isTold, "word of the change", SOON);
        if (told.path("type").asText().equals("error")) {
          // It was looked at while there was none.
          assertThat(told.path("code").asText()).isEqualTo("unavailable");
          told = subscribe(live, "gone:k", position);
        }
        assertThat(told.path("recovered").asBoolean()).isFalse();
        assertThat(told.path("reason").asText()).isEqualTo("recreated");
        topic.send("k", "2");
        assertThat(event(live, "gone:k").path("payload").asText()).isEqualTo("2");
        try (EdgeClient back = client(1, "gone-back")) {
          JsonNode anew = subscribe(back, "gone:k", position);
          assertThat(anew.path("recovered").asBoolean()).isFalse();
          assertThat(anew.path("reason").asText()).isEqualTo("recreated");
        }
      }
    }
  }

  @Test
  @DisplayName(
      "records were deleted: exactly at the log's start all is there, before it there is a gap")
  void deleted() throws Exception {
    List<String> positions = new ArrayList<>();
    try (ChannelTopic topic = topic("cut", 1, Map.of());
        EdgeClient live = client(0, "cut-live")) {
      positions.add(subscribe(live, "cut:k", null).path("position").asText());
      for (int i = 0; i < 10; i++) {
        topic.send("k", String.valueOf(i));
        positions.add(event(live, "cut:k").path("position").asText());
      }
      delete("cut", 6);
      try (EdgeClient at = client(1, "cut-at");
          EdgeClient before = client(1, "cut-before")) {
        JsonNode told = subscribe(before, "cut:k", positions.get(5));
        assertThat(told.path("recovered").asBoolean()).isFalse();
        assertThat(told.path("reason").asText()).isEqualTo("gap");
        assertThat(history("cut:k", positions.get(5))).isEqualTo("gap: 6 7 8 9");
        assertThat(history("cut:k", positions.get(6))).isEqualTo("6 7 8 9");
        assertThat(subscribe(at, "cut:k", positions.get(6)).path("recovered").asBoolean()).isTrue();
        assertThat(payloads(at, "cut:k", 4)).containsExactly("6", "7", "8", "9");
        // All of it is gone, and who had all of it has missed nothing.
        delete("cut", 10);
        try (EdgeClient all = client(0, "cut-all")) {
          JsonNode end = subscribe(all, "cut:k", positions.get(10));
          assertThat(end.path("recovered").asBoolean()).as("%s", end).isTrue();
          topic.send("k", "10");
          assertThat(payloads(all, "cut:k", 1)).containsExactly("10");
          assertThat(payloads(live, "cut:k", 1)).containsExactly("10");
          assertThat(events(before)).isLessThanOrEqualTo(1);
        }
      }
    }
  }

  @Test
  @DisplayName(
      "a log that lost its end and was written on: told to those who are there, who come back, who"
          + " ask for the history")
  void truncated() throws Exception {
    try (EdgeClient live = client(0, "short-live")) {
      Segment kept;
      String before;
      String gone;
      try (ChannelTopic topic = topic("short", 1, Map.of())) {
        subscribe(live, "short:k", null);
        topic.send("k", "1");
        before = event(live, "short:k").path("position").asText();
        kept = Segment.of(cluster, "short", 0);
        topic.send("k", "2");
        gone = event(live, "short:k").path("position").asText();
      }
      assertThat(cluster.broker().terminate()).isZero();
      kept.cut();
      cluster.broker().start();
      JsonNode told = live.await(ChannelTopicsIT::isTold, "word of the cut", SOON);
      assertThat(reason(told)).isEqualTo("truncated");
      try (ChannelTopic topic = ChannelTopic.of(cluster.bootstrap(), "short");
          EdgeClient back = client(1, "short-back");
          EdgeClient sound = client(1, "short-sound")) {
        topic.send("k", "3");
        topic.send("k", "4");
        assertThat(payloads(live, "short:k", 2)).containsExactly("3", "4");
        assertThat(reason(subscribe(back, "short:k", gone))).isEqualTo("truncated");
        assertThat(subscribe(sound, "short:k", before).path("recovered").asBoolean()).isTrue();
        assertThat(payloads(sound, "short:k", 2)).containsExactly("3", "4");
        assertThat(history("short:k", gone)).startsWith("truncated:");
        assertThat(history("short:k", before)).isEqualTo("3 4");
      }
    }
  }

  @Test
  @DisplayName(
      "a topic whose records are all deleted serves who comes first, with his position too")
  void emptied() throws Exception {
    try (ChannelTopic topic = topic("busy", 1, Map.of());
        EdgeClient live = client(0, "busy-live")) {
      subscribe(live, "busy:k", null);
      topic.send("k", "1");
      String position = event(live, "busy:k").path("position").asText();
      delete("busy", 1);
      try (EdgeClient first = client(1, "busy-first")) {
        String anew = subscribe(first, "busy:k", null).path("position").asText();
        assertThat(Objects.requireNonNull(Position.parse(anew)).epoch())
            .as("leader epoch in %s", anew)
            .isNotNegative();
        JsonNode told = subscribe(first, "busy:k", position);
        assertThat(told.path("recovered").asBoolean()).as("%s", told).isTrue();
        topic.send("k", "2");
        assertThat(payloads(first, "busy:k", 1)).containsExactly("2");
      }
    }
  }

  @Test
  @DisplayName("latest: a tombstone ends a value, also for who was away")
  void tombstones() throws Exception {
    Map<String, String> compact = Map.of("cleanup.policy", "compact");
    try (ChannelTopic topic = topic("values", 1, compact);
        EdgeClient live = client(0, "values-live")) {
      topic.send("k", "1");
      subscribe(live, "values:k", null);
      String position = event(live, "values:k").path("position").asText();
      topic.send("k", null);
      assertThat(event(live, "values:k").path("payload").isNull()).isTrue();
      try (EdgeClient away = client(1, "values-away")) {
        JsonNode told = subscribe(away, "values:k", position);
        assertThat(told.path("recovered").asBoolean()).isTrue();
        JsonNode ended = event(away, "values:k");
        assertThat(ended.path("payload").isNull()).isTrue();
        assertThat(ended.path("ts").asLong()).isGreaterThan(1_600_000_000_000L);
        topic.send("k", "2");
        assertThat(event(away, "values:k").path("payload").asText()).isEqualTo("2");
      }
    }
  }

  @Test
  @DisplayName("latest: values that are too many are refused at once, and others are served")
  void tooManyValues() throws Exception {
    try (ChannelTopic topic = topic("big", 1, Map.of("cleanup.policy", "compact"));
        EdgeClient client = client(0, "big-client")) {
      String value = "\"" + "x".repeat(240_000) + "\"";
      for (int i = 0; i < 300; i++) {
        topic.sendOnly("k" + i, value);
      }
      topic.flush();
      for (int i = 0; i < 3; i++) {
        client.sendText("{\"type\":\"subscribe\",\"channel\":\"big:k1\"}");
        JsonNode refused = client.await("error", SOON);
        assertThat(refused.path("code").asText()).isEqualTo("unavailable");
        assertThat(refused.path("message").asText()).contains("take more than");
      }
    }
  }

  @Test
  @DisplayName("a topic that is not there yet: unavailable, and served once it is there")
  void missing() throws Exception {
    try (EdgeClient client = client(0, "late-client")) {
      client.sendText("{\"type\":\"subscribe\",\"channel\":\"late:k\"}");
      JsonNode refused = client.await("error", SOON);
      assertThat(refused.path("code").asText()).isEqualTo("unavailable");
      assertThat(refused.path("retryable").asBoolean()).isTrue();
      try (ChannelTopic topic = topic("late", 1, Map.of())) {
        subscribe(client, "late:k", null);
        topic.send("k", "1");
        assertThat(payloads(client, "late:k", 1)).containsExactly("1");
      }
    }
  }

  @Test
  @DisplayName("the first event of a partition that nobody followed waits for no read of others")
  void first() throws Exception {
    try (ChannelTopic topic = topic("fresh", 40, Map.of());
        EdgeClient client = client(0, "fresh-client")) {
      subscribe(client, "fresh:warm", null);
      topic.send("warm", "0");
      event(client, "fresh:warm");
      List<Long> waits = new ArrayList<>();
      for (int i = 0; i < 15; i++) {
        subscribe(client, "fresh:k" + i, null);
        long began = System.nanoTime();
        topic.send("k" + i, "1");
        event(client, "fresh:k" + i);
        waits.add(Duration.ofNanos(System.nanoTime() - began).toMillis());
      }
      waits.sort(null);
      assertThat(waits.get(waits.size() / 2)).as("median of %s ms", waits).isLessThan(200);
    }
  }

  @Test
  @DisplayName("a thousand channels in one frame, and more are refused")
  void many() throws Exception {
    try (ChannelTopic topic = topic("many", 4, Map.of());
        EdgeClient client = client(0, "many-client")) {
      for (int i = 0; i < 20; i++) {
        StringBuilder names = new StringBuilder();
        for (int j = 0; j < 50; j++) {
          names.append(j == 0 ? "" : ",").append("\"many:k").append(i * 50 + j).append('"');
        }
        client.sendText("{\"type\":\"subscribe\",\"channels\":[" + names + "]}");
      }
      for (int i = 0; i < 1_000; i++) {
        client.await("subscribed", SOON);
      }
      client.sendText("{\"type\":\"subscribe\",\"channel\":\"many:more\"}");
      assertThat(client.await("error", SOON).path("code").asText()).isEqualTo("too_many");
      topic.send("k999", "1");
      assertThat(payloads(client, "many:k999", 1)).containsExactly("1");
      client.sendText("{\"type\":\"unsubscribe\",\"channel\":\"many:k999\"}");
      client.await("unsubscribed", SOON);
      topic.send("k999", "2");
      subscribe(client, "many:more", null);
      topic.send("more", "3");
      assertThat(payloads(client, "many:more", 1)).containsExactly("3");
      assertThat(events(client)).isZero();
    }
  }

  /** Why what followed the client's position is not told. */
  private static String reason(JsonNode subscribed) {
    assertThat(subscribed.path("recovered").asBoolean(true)).as("%s", subscribed).isFalse();
    return subscribed.path("reason").asText();
  }

  /** The payloads after a position; before them what is said to be lost, if anything is. */
  private static String history(String channel, String after) throws Exception {
    String url = cluster.edgeHttp(0) + "/v1/channels/" + channel + "/history?after=" + after;
    JsonNode page = new ObjectMapper().readTree(Web.get(url).body());
    String lost = page.path("lost").asText();
    return (lost.isEmpty() ? "" : lost + ": ")
        + String.join(" ", page.path("events").findValuesAsText("payload"));
  }

  private static boolean isTold(JsonNode frame) {
    String type = frame.path("type").asText();
    return type.equals("subscribed") || type.equals("error");
  }

  private static int events(EdgeClient client) {
    return (int)
        client.pending().stream().filter(f -> f.path("type").asText().equals("event")).count();
  }

  private static List<String> payloads(EdgeClient client, String channel, int count)
      throws InterruptedException {
    List<String> payloads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      payloads.add(event(client, channel).path("payload").asText());
    }
    return payloads;
  }

  private static void delete(String topic, long before) throws Exception {
    admin
        .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(before)))
        .all()
        .get();
  }

  private static ChannelTopic topic(String name, int partitions, Map<String, String> config)
      throws ExecutionException, InterruptedException {
    return ChannelTopic.create(cluster.bootstrap(), name, partitions, config);
  }

  /** The old one may still be on its way out. */
  private static ChannelTopic recreate(String name) {
    return Awaitility.await()
        .atMost(SOON)
        .ignoreExceptions()
        .until(() -> topic(name, 1, Map.of()), made -> true);
  }

  private static KafkaProducer<byte[], byte[]> transactional(String id) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", cluster.bootstrap(), "transactional.id", "channel-" + id),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  private static void transaction(
      KafkaProducer<byte[], byte[]> producer,
      String topic,
      String key,
      String value,
      boolean commit)
      throws ExecutionException, InterruptedException {
    producer.beginTransaction();
    producer.send(record(topic, key, value)).get();
    if (commit) {
      producer.commitTransaction();
    } else {
      producer.abortTransaction();
    }
  }

  private static ProducerRecord<byte[], byte[]> record(String topic, String key, String value) {
    return new ProducerRecord<>(
        topic, key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
  }

  private static EdgeClient client(int edge, String user) throws InterruptedException {
    return EdgeClient.welcomed(cluster.edgeUri(edge), Map.of("clientId", user, "user", user));
  }
}
