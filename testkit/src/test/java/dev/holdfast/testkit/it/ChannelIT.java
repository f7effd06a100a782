package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.channel.Position;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Channels on two real edges and a real broker. */
final class ChannelIT {
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final ObjectMapper JSON = new ObjectMapper();

  private static Cluster cluster;
  private static ChannelTopic rooms;
  private static ChannelTopic ticks;
  private static ChannelTopic notes;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        Cluster.start(
            ClusterSpec.named("channels")
                .withReplicas("a")
                .withBrokerOptions("--kafka.log.cleaner.backoff.ms=200")
                .withEdgeOptions(
                    "--namespace",
                    "rooms:publish=clients,ticks:mode=latest,notes:topic=their.notes:format=text,"
                        + "doors:mode=latest:publish=clients,"
                        + "prices:mode=latest,every,bytes:topic=their.bytes:format=base64,facts:topic=their.facts,"
                        + "crc:topic=their.crc:keys=crc32:publish=clients"));
    rooms = ChannelTopic.create(cluster.bootstrap(), "rooms", 2, Map.of());
    ticks =
        ChannelTopic.create(cluster.bootstrap(), "ticks", 2, Map.of("cleanup.policy", "compact"));
    notes = ChannelTopic.create(cluster.bootstrap(), "their.notes", 1, Map.of());
  }

  @AfterAll
  static void stop() {
    rooms.close();
    ticks.close();
    notes.close();
    cluster.close();
  }

  @Test
  @DisplayName("what one client publishes reaches the subscribers on both edges, and nobody else")
  void publish() throws Exception {
    try (EdgeClient ann = client(0, "ann");
        EdgeClient bob = client(1, "bob");
        EdgeClient zoe = client(1, "zoe")) {
      subscribe(ann, "rooms:lobby", null);
      subscribe(bob, "rooms:lobby", null);
      subscribe(zoe, "rooms:other", null);
      JsonNode sent = publish(ann, "1", "rooms:lobby", "hello");
      JsonNode atBob = bob.await("event", SOON);
      assertThat(atBob.path("channel").asText()).isEqualTo("rooms:lobby");
      assertThat(atBob.path("payload").asText()).isEqualTo("hello");
      assertThat(atBob.path("from").asText()).isEqualTo("ann");
      assertThat(atBob.path("msgId").asText()).isEqualTo(sent.path("msgId").asText());
      assertThat(ann.await("event", SOON)).isEqualTo(atBob);
      publish(ann, "2", "rooms:other", "bye");
      assertThat(zoe.await("event", SOON).path("payload").asText()).isEqualTo("bye");
      assertThat(bob.pending()).noneMatch(frame -> frame.path("type").asText().equals("event"));
    }
  }

  @Test
  @DisplayName("from a position everything follows, on another edge too, and a repeat is dropped")
  void resume() throws Exception {
    String position;
    try (EdgeClient ann = client(0, "ann2");
        EdgeClient bob = client(0, "bob2")) {
      position = subscribe(bob, "rooms:resume", null).path("position").asText();
      for (int i = 0; i < 20; i++) {
        publish(ann, "m" + i, "rooms:resume", i);
        position = i < 5 ? bob.await("event", SOON).path("position").asText() : position;
      }
      assertThat(publish(ann, "m7", "rooms:resume", 7).path("msgId").asText()).isNotEmpty();
    }
    try (EdgeClient bob = client(1, "bob2")) {
      JsonNode subscribed = subscribe(bob, "rooms:resume", position);
      assertThat(subscribed.path("recovered").asBoolean()).as("%s", subscribed).isTrue();
      List<Integer> seen = new ArrayList<>();
      while (seen.size() < 15) {
        seen.add(bob.await("event", SOON).path("payload").asInt());
      }
      assertThat(seen).containsExactly(5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
      rooms.send("resume", "\"end\"");
      assertThat(bob.await("event", SOON).path("payload").asText()).isEqualTo("end");
    }
  }

  @Test
  @DisplayName("latest: the newest value at once, then changes, and several in one frame")
  void latest() throws Exception {
    ticks.send("EURUSD", "1.1");
    ticks.send("EURUSD", "1.2");
    ticks.send("GBPUSD", "1.5");
    try (EdgeClient bob = client(0, "bob3")) {
      bob.sendText("{\"type\":\"subscribe\",\"channels\":[\"ticks:EURUSD\",\"ticks:GBPUSD\"]}");
      assertThat(event(bob, "ticks:EURUSD").path("payload").decimalValue().toString())
          .isEqualTo("1.2");
      assertThat(event(bob, "ticks:GBPUSD").path("payload").decimalValue().toString())
          .isEqualTo("1.5");
      ticks.send("EURUSD", "1.3");
      assertThat(event(bob, "ticks:EURUSD").path("payload").decimalValue().toString())
          .isEqualTo("1.3");
    }
  }

  @Test
  @DisplayName("latest: what is published again after another value is the value again, for all")
  void again() throws Exception {
    Map<String, String> compact = Map.of("cleanup.policy", "compact");
    try (ChannelTopic topic = ChannelTopic.create(cluster.bootstrap(), "doors", 1, compact);
        EdgeClient ann = client(0, "ann8");
        EdgeClient bob = client(0, "bob8");
        EdgeClient late = client(1, "late8")) {
      assertThat(subscribe(bob, topic + ":front", null).path("mode").asText()).isEqualTo("latest");
      publish(ann, "1", "doors:front", "open");
      assertThat(event(bob, "doors:front").path("payload").asText()).isEqualTo("open");
      publish(bob, "1", "doors:front", "shut");
      assertThat(event(bob, "doors:front").path("payload").asText()).isEqualTo("shut");
      publish(ann, "1", "doors:front", "open");
      assertThat(event(bob, "doors:front").path("payload").asText()).isEqualTo("open");
      subscribe(late, "doors:front", null);
      assertThat(event(late, "doors:front").path("payload").asText()).isEqualTo("open");
    }
  }

  @Test
  @DisplayName("the log cleaner was there: latest has what is newest, a stream has what it left")
  void compacted() throws Exception {
    try (CompactedTopic prices = new CompactedTopic(cluster, "prices");
        CompactedTopic every = new CompactedTopic(cluster, "every");
        EdgeClient anew = client(1, "anew9");
        EdgeClient back = client(1, "back9")) {
      String moves = prices.positionOfFirst("moves");
      String ends = prices.positionOfFirst("ends");
      String stream = every.positionOfFirst("moves");
      prices.awaitCompacted();
      every.awaitCompacted();
      subscribe(anew, "prices:ends", null);
      subscribe(anew, "prices:moves", null);
      assertThat(event(anew, "prices:moves").path("payload").asInt()).isEqualTo(39);
      for (String key : List.of("ends", "moves")) {
        JsonNode told = subscribe(back, "prices:" + key, key.equals("ends") ? ends : moves);
        assertThat(told.path("recovered").asBoolean()).as("%s", told).isTrue();
      }
      assertThat(event(back, "prices:ends").path("payload").isNull()).isTrue();
      assertThat(event(back, "prices:moves").path("payload").asInt()).isEqualTo(39);
      prices.goesOn(anew, 40);
      assertThat(event(back, "prices:moves").path("payload").asInt()).isEqualTo(40);
      assertThat(subscribe(back, "every:moves", stream).path("recovered").asBoolean()).isTrue();
      assertThat(event(back, "every:moves").path("payload").asInt()).isEqualTo(39);
      every.goesOn(back, 40);
      assertThat(anew.pending()).noneMatch(f -> f.path("channel").asText().equals("prices:ends"));
    }
  }

  @Test
  @DisplayName("a topic of somebody else, with text, read only")
  void foreign() throws Exception {
    try (EdgeClient bob = client(0, "bob4")) {
      subscribe(bob, "notes:a b", null);
      notes.send("a b", "say \"hi\"\n");
      assertThat(bob.await("event", SOON).path("payload").asText()).isEqualTo("say \"hi\"\n");
      post(bob, "1", "notes:a b", 1);
      assertThat(bob.await("error", SOON).path("code").asText()).isEqualTo("forbidden");
      post(bob, "2", "nothing:x", 1);
      assertThat(bob.await("error", SOON).path("code").asText()).isEqualTo("no_such_channel");
    }
  }

  @Test
  @DisplayName("topics of somebody else, with any bytes and with JSON; what cannot be read is told")
  void formats() throws Exception {
    try (ChannelTopic bytes = ChannelTopic.create(cluster.bootstrap(), "their.bytes", 1, Map.of());
        ChannelTopic facts = ChannelTopic.create(cluster.bootstrap(), "their.facts", 1, Map.of());
        EdgeClient bob = client(0, "bob6")) {
      subscribe(bob, "bytes:k", null);
      byte[] any = {0, (byte) 0xff, (byte) 0xfb, '"', '\n', (byte) 0xc3};
      bytes.put(null, "k", any);
      JsonNode event = event(bob, "bytes:k");
      assertThat(event.path("payload").asText()).isEqualTo("AP/7IgrD");
      assertThat(event.path("payload").binaryValue()).isEqualTo(any);
      assertThat(page("/v1/channels/bytes:k/history").path("events").get(0)).isEqualTo(event);

      subscribe(bob, "facts:k", null);
      facts.send("k", "{\"n\": 12345678901234567890, \"s\": \"gr\u00fc\u00df\"}");
      JsonNode fact = event(bob, "facts:k").path("payload");
      assertThat(fact.path("n").bigIntegerValue()).isEqualTo("12345678901234567890");
      assertThat(fact.path("s").asText()).isEqualTo("gr\u00fc\u00df");
      facts.send("k", "no JSON");
      facts.send("k", "[1]");
      JsonNode unreadable = event(bob, "facts:k");
      assertThat(unreadable.path("unreadable").asText()).isEqualTo("not_json");
      assertThat(unreadable.path("payload").isNull()).isTrue();
      assertThat(event(bob, "facts:k").path("payload").path(0).asInt()).isEqualTo(1);

      subscribe(bob, "notes:k", null);
      notes.put(null, "k", any);
      assertThat(event(bob, "notes:k").path("unreadable").asText()).isEqualTo("not_utf8");
    }
  }

  @Test
  @DisplayName(
      "keys=crc32: what lies where librdkafka puts it is seen, and an edge writes there too")
  void crc32() throws Exception {
    // From librdkafka's tests: CRC-32 of each. Kafka's Java client would use partitions 1, 4 and 3.
    String phrase = "this is another string with more length to it perhaps";
    Map<String, Long> hashes =
        Map.of("23456", 0xb1b451d7L, phrase, 0xb0150df7L, "hejsan", 0xd077037eL);
    try (ChannelTopic topic = ChannelTopic.create(cluster.bootstrap(), "their.crc", 5, Map.of());
        EdgeClient bob = client(0, "bob7")) {
      for (Map.Entry<String, Long> each : hashes.entrySet()) {
        String channel = "crc:" + each.getKey();
        int partition = (int) (each.getValue() % 5);
        subscribe(bob, channel, null);
        topic.put(partition, each.getKey(), new byte[] {'1'});
        assertThat(event(bob, channel).path("payload").asInt()).isEqualTo(1);
        assertThat(publish(bob, channel, channel, 2).path("type").asText()).isEqualTo("sent");
        JsonNode own = event(bob, channel);
        assertThat(own.path("payload").asInt()).isEqualTo(2);
        Position at = Position.parse(own.path("position").asText());
        assertThat(at).isNotNull().extracting(Position::partition).isEqualTo(partition);
      }
    }
  }

  @Test
  @DisplayName("history by pages, from the start and from a position, joins what comes live")
  void history() throws Exception {
    for (int i = 0; i < 25; i++) {
      rooms.send("past", Integer.toString(i));
    }
    JsonNode page = page("/v1/channels/rooms:past/history?limit=10");
    assertThat(payloads(page)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(page.path("more").asBoolean()).isTrue();
    String position = page.path("position").asText();
    page = page("/v1/channels/rooms:past/history?limit=100&after=" + position);
    assertThat(payloads(page)).hasSize(15).startsWith(10).endsWith(24);
    assertThat(page.path("more").asBoolean()).isFalse();
    assertThat(page.has("lost")).isFalse();
    position = page.path("position").asText();
    try (EdgeClient bob = client(1, "bob5")) {
      assertThat(subscribe(bob, "rooms:past", position).path("recovered").asBoolean()).isTrue();
      rooms.send("past", "25");
      assertThat(bob.await("event", SOON).path("payload").asInt()).isEqualTo(25);
    }
    assertThat(page("/v1/channels/rooms:nobody/history").path("events")).isEmpty();
  }

  private static List<Integer> payloads(JsonNode page) {
    List<Integer> all = new ArrayList<>();
    page.path("events").forEach(event -> all.add(event.path("payload").asInt()));
    return all;
  }

  static JsonNode page(String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(cluster.edgeHttp(0) + path)).build();
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  static JsonNode event(EdgeClient client, String channel) throws InterruptedException {
    return client.await(
        f -> f.path("type").asText().equals("event") && f.path("channel").asText().equals(channel),
        "event of " + channel,
        SOON);
  }

  static JsonNode subscribe(EdgeClient client, String channel, @Nullable String position)
      throws InterruptedException {
    var frame = JSON.createObjectNode().put("type", "subscribe").put("channel", channel);
    if (position != null) {
      frame.put("position", position);
    }
    client.send(frame);
    return client.await("subscribed", SOON);
  }

  /** Publishes until it is stored: the first event for a topic that is new may come too soon. */
  static JsonNode publish(EdgeClient client, String id, String channel, Object payload)
      throws InterruptedException {
    while (true) {
      post(client, id, channel, payload);
      JsonNode answer =
          client.await(
              f -> f.path("clientMsgId").asText().equals(id), "answer to send " + id, SOON);
      if (!answer.path("retryable").asBoolean()) {
        return answer;
      }
      assertThat(answer.path("code").asText()).isEqualTo("overloaded");
    }
  }

  static void post(EdgeClient client, String id, String channel, Object payload) {
    var frame =
        JSON.createObjectNode().put("type", "send").put("clientMsgId", id).put("channel", channel);
    frame.set("payload", JSON.valueToTree(payload));
    client.send(frame);
  }

  private static EdgeClient client(int edge, String user) throws InterruptedException {
    URI uri = cluster.edgeUri(edge);
    return EdgeClient.welcomed(uri, Map.of("clientId", user, "user", user));
  }
}
