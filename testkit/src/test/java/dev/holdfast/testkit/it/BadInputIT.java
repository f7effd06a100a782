package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.topic.Topics;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Guarantee 5: bad input costs its sender an error or a close, and nobody else anything. */
final class BadInputIT {
  private static final Duration SOON = Duration.ofSeconds(15);

  private static Cluster cluster;
  private EdgeClient witness;

  @BeforeAll
  static void start() throws InterruptedException {
    cluster = Cluster.start(ClusterSpec.named("bad").withReplicas("a").withEdges(1));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void connectWitness() throws InterruptedException {
    witness = EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", "witness"));
  }

  @AfterEach
  void witnessNoticedNothing() throws InterruptedException {
    witness.sendText("ping");
    witness.await("pong", SOON);
    assertThat(witness.closed()).isNotDone();
    witness.close();
  }

  private static EdgeClient greeted(String name) throws InterruptedException {
    return EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", name, "lastSeq", 0));
  }

  private static JsonNode errorFor(EdgeClient client, String text) throws InterruptedException {
    client.sendText(text);
    return client.await("error", SOON);
  }

  private static int closeFor(String name, String text) throws InterruptedException {
    try (EdgeClient client = greeted(name)) {
      client.sendText(text);
      return client.awaitClosed(SOON).code();
    }
  }

  @Test
  @DisplayName("a refused frame gets its error and the connection stays")
  void errors() throws InterruptedException {
    try (EdgeClient client = greeted("wrong")) {
      assertThat(errorFor(client, "{\"type\":\"ack\",\"seq\":\"7\"}").path("code").asText())
          .isEqualTo("bad_frame");
      assertThat(errorFor(client, "{\"type\":\"ack\",\"seq\":7}").path("code").asText())
          .isEqualTo("ack_beyond_sent");
      assertThat(errorFor(client, "{\"type\":\"dance\"}").path("code").asText())
          .isEqualTo("unknown_type");
      assertThat(errorFor(client, "{\"type\":\"watch\",\"users\":[]}").path("code").asText())
          .isEqualTo("bad_frame");
      assertThat(
              errorFor(client, "{\"type\":\"subscribe\",\"channel\":\"no:x\"}")
                  .path("code")
                  .asText())
          .isEqualTo("no_such_channel");
      assertThat(errorFor(client, "{\"no\":\"type\"}").path("code").asText())
          .isEqualTo("bad_frame");
      JsonNode tooLong =
          errorFor(
              client,
              "{\"type\":\"send\",\"clientMsgId\":\""
                  + "x".repeat(65)
                  + "\",\"to\":{\"user\":\"bob\"},\"payload\":1}");
      assertThat(tooLong.path("message").asText()).contains("clientMsgId");
      JsonNode large =
          errorFor(
              client,
              "{\"type\":\"send\",\"clientMsgId\":\"big\",\"to\":{\"user\":\"bob\"},\"payload\":\""
                  + "x".repeat(70_000)
                  + "\"}");
      assertThat(large.path("code").asText()).isEqualTo("payload_too_large");
      assertThat(large.path("clientMsgId").asText()).isEqualTo("big");
      client.sendTo("witness", "ok", "still here");
      assertThat(client.await("sent", SOON).path("clientMsgId").asText()).isEqualTo("ok");
      assertThat(witness.messages(1, SOON)).hasSize(1);
    }
  }

  @Test
  @DisplayName("what is no protocol ends the connection with the documented code")
  void closes() throws InterruptedException {
    assertThat(closeFor("text", "hello there")).isEqualTo(4400);
    assertThat(closeFor("array", "[1,2]")).isEqualTo(4400);
    assertThat(closeFor("twice", "{\"type\":\"hello\",\"clientId\":\"twice\"}")).isEqualTo(4400);
    assertThat(closeFor("deep", "{\"type\":\"send\",\"payload\":" + "[".repeat(30_000)))
        .isEqualTo(4400);
    assertThat(closeFor("deep100", "[".repeat(100_000))).isIn(4400, 1009);
    assertThat(closeFor("large", "{\"type\":\"x\",\"y\":\"" + "x".repeat(200_000) + "\"}"))
        .isEqualTo(1009);
    try (EdgeClient client = greeted("binary")) {
      client.sendBinary(new byte[] {1, 2, 3});
      assertThat(client.awaitClosed(SOON).code()).isEqualTo(1003);
    }
    try (EdgeClient client = EdgeClient.connect(cluster.edgeUri(0))) {
      client.sendText("{\"type\":\"ack\",\"seq\":1}");
      assertThat(client.awaitClosed(SOON).code()).isEqualTo(4400);
    }
    try (EdgeClient client = EdgeClient.connect(cluster.edgeUri(0))) {
      assertThat(client.awaitClosed(SOON).code()).isEqualTo(4408);
    }
  }

  @Test
  @DisplayName(
      "subprotocols: ours is echoed, none is served, only unknown ones are refused with 400")
  void subprotocols() throws InterruptedException {
    try (EdgeClient ours = EdgeClient.connect(cluster.edgeUri(0));
        EdgeClient none = EdgeClient.connect(cluster.edgeUri(0), Map.of(), "")) {
      assertThat(ours.subprotocol()).isEqualTo("holdfast.v1");
      assertThat(none.subprotocol()).isEmpty();
      none.hello(Map.of("clientId", "none"));
      none.await("welcome", SOON);
    }
    assertThatThrownBy(
            () -> EdgeClient.tryConnect(cluster.edgeUri(0), Map.of(), "graphql-ws").get())
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            WebSocketHandshakeException.class,
            e -> assertThat(e.getResponse().statusCode()).isEqualTo(400));
  }

  @Test
  @DisplayName("D13: records that cannot be read go to dead letters and hold nobody up")
  void deadLetters() throws InterruptedException {
    try (KafkaLog kafka = new KafkaLog(cluster.bootstrap());
        EdgeClient sender = greeted("sender")) {
      int before = kafka.committed(Topics.DEAD_LETTERS).size();
      String deep = "[".repeat(20_000);
      List<byte[]> bad =
          List.of(
              utf8("not json"),
              utf8("{\"type\":\"message\",\"from\":\"x\",\"payload\":" + deep),
              utf8("{\"type\":\"unheard-of\"}"),
              utf8("{\"type\":\"message\",\"payload\":1}"),
              utf8("{\"type\":\"message\",\"from\":\"x\",\"payload\":\"" + "y".repeat(1_000_000)),
              new byte[0]);
      for (byte[] value : bad) {
        kafka.write(Topics.EVENTS, null, "witness", value);
      }
      kafka.write(Topics.EVENTS, null, "wrong key !", utf8("{\"type\":\"leave\"}"));
      kafka.write(Topics.EVENTS, 0, null, utf8("{\"type\":\"leave\"}"));
      // A readable one of nearly a megabyte is a message like any other.
      String large = "{\"type\":\"message\",\"from\":\"backend\",\"payload\":\"";
      kafka.write(Topics.EVENTS, null, "witness", utf8(large + "z".repeat(900_000) + "\"}"));
      sender.sendTo("witness", "after", "after all that");
      JsonNode big = witness.messages(1, SOON).get(0);
      assertThat(big.path("payload").asText()).hasSize(900_000);
      witness.ack(big.path("seq").asLong());
      assertThat(witness.messages(1, SOON).get(0).path("payload").asText())
          .isEqualTo("after all that");
      Awaitility.await()
          .atMost(SOON)
          .until(() -> kafka.committed(Topics.DEAD_LETTERS).size() == before + bad.size() + 2);
      List<ConsumerRecord<byte[], byte[]>> letters = kafka.committed(Topics.DEAD_LETTERS);
      assertThat(letters.subList(before, letters.size()))
          .allSatisfy(
              r -> {
                assertThat(KafkaLog.header(r, "topic")).isEqualTo(Topics.EVENTS.topic());
                assertThat(KafkaLog.header(r, "offset")).matches("\\d+");
                assertThat(KafkaLog.header(r, "detail")).isNotEmpty();
              });
    }
  }

  @Test
  @DisplayName("D13: what is typed wrongly, UTF-16 and broken UTF-8 go to dead letters as well")
  void writtenByHand() throws InterruptedException {
    try (KafkaLog kafka = new KafkaLog(cluster.bootstrap());
        EdgeClient sender = greeted("by-hand")) {
      int before = kafka.committed(Topics.DEAD_LETTERS).size();
      String message = "{\"type\":\"message\",\"from\":\"console\",\"payload\":\"%s\"}";
      type("witness|{\"type\":\"message\",\nwitness|" + message.formatted("typed") + "\n");
      assertThat(witness.messages(1, SOON).get(0).path("payload").asText()).isEqualTo("typed");
      byte[] lone = utf8(message.formatted("lone ???"));
      int at = lone.length - 5;
      lone[at] = (byte) 0xED;
      lone[at + 1] = (byte) 0xA0;
      lone[at + 2] = (byte) 0x80;
      List<byte[]> bad =
          List.of(
              message.formatted("16").getBytes(StandardCharsets.UTF_16),
              message.formatted("16").getBytes(StandardCharsets.UTF_16LE),
              lone);
      for (byte[] value : bad) {
        kafka.write(Topics.EVENTS, null, "witness", value);
      }
      sender.sendTo("witness", "after", "after that");
      assertThat(witness.messages(1, SOON).get(0).path("payload").asText()).isEqualTo("after that");
      Awaitility.await()
          .atMost(SOON)
          .until(() -> kafka.committed(Topics.DEAD_LETTERS).size() == before + 1 + bad.size());
    }
  }

  /** Writes lines of {@code key|value} to the log with Kafka's console producer. */
  private static void type(String lines) throws InterruptedException {
    try (HoldfastProcess console =
        HoldfastProcess.start(
            "bad-console",
            List.of(
                "kafka",
                "console-producer",
                "--bootstrap-server",
                cluster.bootstrap(),
                "--topic",
                Topics.EVENTS.topic(),
                "--reader-property",
                "parse.key=true",
                "--reader-property",
                "key.separator=|"))) {
      console.feed(lines);
      assertThat(console.awaitExit(Duration.ofMinutes(1))).isZero();
    }
  }

  @Test
  @DisplayName("D9: the same identity with another payload is kept out and reported")
  void idConflict() throws InterruptedException {
    try (KafkaLog kafka = new KafkaLog(cluster.bootstrap());
        EdgeClient sender = greeted("conflicted")) {
      sender.sendTo("witness", "same", "one");
      sender.sendTo("witness", "same", "two");
      sender.sendTo("witness", "next", "three");
      assertThat(witness.messages(2, SOON))
          .extracting(m -> m.path("payload").asText())
          .containsExactly("one", "three");
      Awaitility.await()
          .atMost(SOON)
          .until(
              () ->
                  kafka.committed(Topics.DEAD_LETTERS).stream()
                      .anyMatch(r -> KafkaLog.header(r, "reason").equals("id_conflict")));
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
