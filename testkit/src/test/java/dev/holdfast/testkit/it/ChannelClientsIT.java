package dev.holdfast.testkit.it;

import static dev.holdfast.testkit.it.ChannelIT.event;
import static dev.holdfast.testkit.it.ChannelIT.post;
import static dev.holdfast.testkit.it.ChannelIT.publish;
import static dev.holdfast.testkit.it.ChannelIT.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients of channels may do, ask for, and fail to take; on real edges with tokens. */
@Tag("campaign")
final class ChannelClientsIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String SECRET = "a-secret-that-is-long-enough-for-HS256";
  private static final Tokens TOKENS = new Tokens(SECRET);
  private static final String SLOW = "holdfast_edge_closes_total\\{[^}]*slow_consumer[^}]*} 1";
  private static final String FILL = "x".repeat(20_000);

  @TempDir static Path dir;
  private static Cluster cluster;
  private static ChannelTopic rooms;
  private static ChannelTopic staff;
  private static ChannelTopic ticks;

  @BeforeAll
  static void start() throws Exception {
    Path secret = Files.writeString(dir.resolve("secret"), SECRET + "\n");
    cluster =
        Cluster.start(
            ClusterSpec.named("channel-clients")
                .withReplicas("a")
                .withEdgeOptions(
                    "--auth",
                    "jwt",
                    "--jwt-secret-file",
                    secret.toString(),
                    "--namespace",
                    "rooms:publish=clients,staff:publish=clients:private,ticks:mode=latest"));
    rooms = ChannelTopic.create(cluster.bootstrap(), "rooms", 2, Map.of());
    staff = ChannelTopic.create(cluster.bootstrap(), "staff", 1, Map.of());
    ticks =
        ChannelTopic.create(cluster.bootstrap(), "ticks", 1, Map.of("cleanup.policy", "compact"));
  }

  @AfterAll
  static void stop() {
    List.of(rooms, staff, ticks).forEach(ChannelTopic::close);
    cluster.close();
  }

  @Test
  @DisplayName(
      "a private namespace is for who is named; post is narrower than subscribe; auth narrows")
  void grants() throws Exception {
    try (EdgeClient ann =
            client("ann", ",\"holdfast\":{\"subscribe\":[\"staff:*\"],\"post\":[\"staff:a\"]}");
        EdgeClient bob = client("bob", "")) {
      bob.sendText("{\"type\":\"subscribe\",\"channels\":[\"staff:a\",\"rooms:a\"]}");
      assertThat(refused(bob, "staff:a")).isEqualTo("forbidden");
      bob.await("subscribed", SOON);
      post(bob, "1", "staff:a", 1);
      assertThat(refused(bob, "staff:a")).isEqualTo("forbidden");

      subscribe(ann, "staff:a", null);
      subscribe(ann, "staff:b", null);
      ann.sendText("{\"type\":\"subscribe\",\"channel\":\"rooms:a\"}");
      assertThat(refused(ann, "rooms:a")).isEqualTo("forbidden");
      assertThat(publish(ann, "1", "staff:a", 1).path("type").asText()).isEqualTo("sent");
      event(ann, "staff:a");
      post(ann, "2", "staff:b", 2);
      assertThat(refused(ann, "staff:b")).isEqualTo("forbidden");
      assertThat(publish(ann, "3", "staff:a", 3).path("type").asText()).isEqualTo("sent");
      event(ann, "staff:a");

      String less =
          TOKENS.issue("ann", 600, ",\"holdfast\":{\"subscribe\":[\"staff:b\"],\"post\":[]}");
      ann.sendText("{\"type\":\"auth\",\"token\":\"" + less + "\"}");
      ann.await("auth", SOON);
      assertThat(refused(ann, "staff:a")).isEqualTo("forbidden");
      staff.send("a", "\"not for ann\"");
      staff.send("b", "\"for ann\"");
      assertThat(ann.await("event", SOON).path("payload").asText()).isEqualTo("for ann");
      post(ann, "4", "staff:a", 4);
      assertThat(refused(ann, "staff:a")).isEqualTo("forbidden");
    }
  }

  @Test
  @DisplayName("channels come with the hello, lossless and conflated on one connection")
  void withHello() throws Exception {
    ticks.send("EUR", "1");
    String position;
    try (EdgeClient one = client("cleo", "")) {
      subscribe(one, "rooms:hello", null);
      rooms.send("hello", "1");
      position = event(one, "rooms:hello").path("position").asText();
    }
    rooms.send("hello", "2");
    try (EdgeClient back = EdgeClient.connect(cluster.edgeUri(1))) {
      back.hello(
          Map.of(
              "clientId",
              "cleo",
              "token",
              TOKENS.issue("cleo", 600, ""),
              "channels",
              List.of(
                  Map.of("channel", "rooms:hello", "position", position),
                  Map.of("channel", "ticks:EUR", "maxRate", 2))));
      assertThat(event(back, "rooms:hello").path("payload").asInt()).isEqualTo(2);
      assertThat(event(back, "ticks:EUR").path("payload").asInt()).isEqualTo(1);
      for (int i = 0; i < 100; i++) {
        rooms.send("hello", String.valueOf(100 + i));
        ticks.send("EUR", String.valueOf(100 + i));
      }
      for (int i = 0; i < 100; i++) {
        assertThat(event(back, "rooms:hello").path("payload").asInt()).isEqualTo(100 + i);
      }
      int last = 0;
      int values = 0;
      while (last < 199) {
        int next = event(back, "ticks:EUR").path("payload").asInt();
        assertThat(next).isGreaterThan(last);
        last = next;
        values++;
      }
      assertThat(values).as("values of 100 at 2 a second").isLessThan(50);
    }
  }

  @Test
  @DisplayName("who reads slowly catches up without being closed, and then is live")
  void slowReader() throws Exception {
    String position = fill("slow", 300);
    try (EdgeClient slow = client("slow", "")) {
      JsonNode told = subscribe(slow, "rooms:slow", position);
      assertThat(told.path("recovered").asBoolean()).isTrue();
      for (int i = 0; i < 300; i++) {
        if (i % 60 == 0) {
          slow.pauseReading();
          TimeUnit.MILLISECONDS.sleep(300);
          slow.resumeReading();
        }
        assertThat(number(event(slow, "rooms:slow"))).isEqualTo(i);
      }
      slow.await(
          f -> f.path("type").asText().equals("progress") && f.path("live").asBoolean(),
          "word that all is live",
          SOON);
      rooms.send("slow", "\"7777 \"");
      assertThat(number(event(slow, "rooms:slow"))).isEqualTo(7777);
      assertThat(slow.closed()).isNotDone();
    }
  }

  @Test
  @Tag("soak")
  @DisplayName("who stops reading while catching up is closed with 4004 after half a minute")
  void stoppedReader() throws Exception {
    String position = fill("stop", 900);
    try (EdgeClient stopped = client("stopped", "");
        EdgeClient other = client("other", "")) {
      subscribe(stopped, "rooms:stop", position);
      stopped.pauseReading();
      subscribe(other, "rooms:stop", position);
      for (int i = 0; i < 900; i++) {
        assertThat(number(event(other, "rooms:stop"))).isEqualTo(i);
      }
      // Nobody waits for the one who stands still.
      TimeUnit.SECONDS.sleep(40);
      stopped.resumeReading();
      // The close frame stands behind what he does not read, so it may be lost with the socket.
      assertThat(stopped.awaitClosed(Duration.ofSeconds(30)).code()).isIn(4004, 1006);
      assertThat(Web.get(cluster.edgeHttp(0) + "/metrics").body()).containsPattern(SLOW);
    }
  }

  @Test
  @DisplayName("latest: who does not read is shown the newest when he does")
  void conflated() throws Exception {
    try (EdgeClient client = client("conflated", "")) {
      ticks.send("FILL", "\"0 \"");
      subscribe(client, "ticks:FILL", null);
      event(client, "ticks:FILL");
      client.pauseReading();
      int count = 700;
      for (int i = 1; i <= count; i++) {
        ticks.sendOnly("FILL", "\"" + i + " " + FILL + "\"");
      }
      ticks.flush();
      ticks.send("other", "1");
      client.resumeReading();
      int last = 0;
      int values = 0;
      while (last < count) {
        int next = number(event(client, "ticks:FILL"));
        assertThat(next).isGreaterThan(last);
        last = next;
        values++;
      }
      assertThat(values).as("of " + count).isLessThan(count);
      assertThat(client.closed()).isNotDone();
    }
  }

  @Test
  @DisplayName("a quiet channel in a busy partition is told how far it is")
  void progress() throws Exception {
    try (EdgeClient client = client("quiet", "")) {
      String position = subscribe(client, "rooms:quiet", null).path("position").asText();
      for (int i = 0; i < 20_000; i++) {
        rooms.sendOnly("busy" + i % 50, "1");
      }
      rooms.flush();
      JsonNode told = client.await("progress", Duration.ofSeconds(30));
      assertThat(told.path("position").asText()).isGreaterThan(position);
      try (EdgeClient back = client("quiet-back", "")) {
        JsonNode resumed = subscribe(back, "rooms:quiet", told.path("position").asText());
        assertThat(resumed.path("recovered").asBoolean()).isTrue();
      }
    }
  }

  @Test
  @DisplayName(
      "while Kafka does not answer, who subscribes is told so in time, however many they are")
  void brokerAway() throws Exception {
    try (EdgeClient client = client("patient", "");
        ChannelTopic topic = ChannelTopic.of(cluster.bootstrap(), "rooms")) {
      subscribe(client, "rooms:before", null);
      cluster.broker().pause();
      try {
        long from = System.nanoTime();
        StringBuilder names = new StringBuilder("\"ticks:a\",\"staff:a\"");
        for (int i = 0; i < 30; i++) {
          names.append(",\"ticks:b").append(i).append('"');
        }
        client.sendText("{\"type\":\"subscribe\",\"channels\":[" + names + "]}");
        for (int i = 0; i < 32; i++) {
          JsonNode told =
              client.await(
                  f ->
                      f.path("type").asText().equals("error")
                          || f.path("type").asText().equals("subscribed"),
                  "an answer",
                  Duration.ofSeconds(25));
          assertThat(told.path("type").asText()).isIn("error", "subscribed");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(16));
      } finally {
        cluster.broker().resume();
      }
      topic.send("before", "1");
      assertThat(event(client, "rooms:before").path("payload").asInt()).isEqualTo(1);
      Awaitility.await()
          .atMost(SOON)
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> isServed(client, "ticks:a"));
    }
  }

  private static boolean isServed(EdgeClient client, String channel) throws InterruptedException {
    client.sendText("{\"type\":\"subscribe\",\"channel\":\"" + channel + "\"}");
    return client
        .await(f -> f.path("channel").asText().equals(channel), "an answer", SOON)
        .path("type")
        .asText()
        .equals("subscribed");
  }

  /** Writes events of 20 kB; the position before them. */
  private static String fill(String key, int count) throws Exception {
    try (EdgeClient first = client("first-" + key, "")) {
      String position = subscribe(first, "rooms:" + key, null).path("position").asText();
      first.sendText("{\"type\":\"unsubscribe\",\"channel\":\"rooms:" + key + "\"}");
      first.await("unsubscribed", SOON);
      for (int i = 0; i < count; i++) {
        rooms.sendOnly(key, "\"" + i + " " + FILL + "\"");
      }
      rooms.flush();
      return position;
    }
  }

  private static int number(JsonNode event) {
    String payload = event.path("payload").asText();
    return Integer.parseInt(payload.substring(0, payload.indexOf(' ')));
  }

  private static String refused(EdgeClient client, String channel) throws InterruptedException {
    return client
        .await(
            f ->
                f.path("type").asText().equals("error")
                    && f.path("channel").asText().equals(channel),
            "refusal of " + channel,
            SOON)
        .path("code")
        .asText();
  }

  private static EdgeClient client(String user, String claims)
      throws InterruptedException, ExecutionException {
    return EdgeClient.welcomed(
        cluster.edgeUri(0), Map.of("clientId", user, "token", TOKENS.issue(user, 600, claims)));
  }
}
