package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The main job as a stranger sees it: {@code holdfast dev} in one process. */
final class MainJobIT {
  private static final Duration SOON = Duration.ofSeconds(15);

  @TempDir static Path data;
  private static int port;
  private static int brokerPort;
  private static HoldfastProcess dev;

  @BeforeAll
  static void start() throws InterruptedException {
    port = TestPorts.two();
    brokerPort = TestPorts.free();
    dev = launch();
  }

  private static HoldfastProcess launch() throws InterruptedException {
    return HoldfastProcess.start(
            "dev",
            List.of(
                "dev",
                "--port",
                Integer.toString(port),
                "--broker-port",
                Integer.toString(brokerPort),
                "--data",
                data.toString()))
        .awaitReady(Duration.ofMinutes(1));
  }

  @AfterAll
  static void stop() {
    dev.close();
  }

  private static URI edge(int n) {
    return URI.create("ws://127.0.0.1:" + (port + n) + "/v1/ws");
  }

  private static EdgeClient client(int edge, String user, Object lastSeq)
      throws InterruptedException {
    return EdgeClient.welcomed(
        edge(edge), Map.of("clientId", user + "-phone", "user", user, "lastSeq", lastSeq));
  }

  private static List<Long> seqs(List<JsonNode> messages) {
    return messages.stream().map(m -> m.path("seq").asLong()).toList();
  }

  private static String sent(EdgeClient client, String clientMsgId) throws InterruptedException {
    return client
        .await(
            f ->
                f.path("type").asText().equals("sent")
                    && f.path("clientMsgId").asText().equals(clientMsgId),
            "sent " + clientMsgId,
            SOON)
        .path("msgId")
        .asText();
  }

  @Test
  @DisplayName(
      "R-4.3 R-4.5 R-4.6 R-4.8: send, deliver, break, resume on the other edge: exactly what was"
          + " missed")
  void sendDeliverBreakResume() throws InterruptedException {
    try (EdgeClient alice = client(0, "alice", 0)) {
      EdgeClient bob = client(1, "bob", 0);
      bob.await("sync", SOON);
      for (int i = 1; i <= 3; i++) {
        alice.sendTo("bob", "a" + i, "text " + i);
      }
      assertThat(seqs(bob.messages(3, SOON))).containsExactly(1L, 2L, 3L);
      bob.ack(3);
      bob.abort();
      for (int i = 4; i <= 8; i++) {
        alice.sendTo("bob", "a" + i, "text " + i);
        assertThat(sent(alice, "a" + i)).isNotEmpty();
      }
      try (EdgeClient back = EdgeClient.connect(edge(0))) {
        back.hello(Map.of("clientId", "bob-phone", "user", "bob", "lastSeq", 3));
        JsonNode welcome = back.await("welcome", SOON);
        assertThat(welcome.path("resumed").asBoolean()).isTrue();
        assertThat(welcome.path("seq").asLong()).isEqualTo(8);
        assertThat(seqs(back.messages(5, SOON))).containsExactly(4L, 5L, 6L, 7L, 8L);
        assertThat(back.await("sync", SOON).path("cursor").asLong()).isEqualTo(8);
        alice.sendTo("bob", "a9", "live");
        assertThat(seqs(back.messages(1, SOON))).containsExactly(9L);
        assertThat(back.pending()).isEmpty();
      }
    }
  }

  @Test
  @DisplayName(
      "R-5.3: a repeated clientMsgId gets the same msgId on any edge and is delivered once")
  void repeats() throws InterruptedException {
    try (EdgeClient dora = client(1, "dora", 0)) {
      dora.await("sync", SOON);
      EdgeClient carl = client(0, "carl", 0);
      carl.sendTo("dora", "1", "once");
      String first = sent(carl, "1");
      carl.abort();
      try (EdgeClient again = client(1, "carl", 0);
          EdgeClient tablet =
              EdgeClient.welcomed(
                  edge(0), Map.of("clientId", "carl-tablet", "user", "carl", "lastSeq", 0))) {
        again.sendTo("dora", "1", "once");
        assertThat(sent(again, "1")).isEqualTo(first);
        tablet.sendTo("dora", "1", "another device also counts from 1");
        assertThat(sent(tablet, "1")).isNotEqualTo(first);
        again.sendTo("dora", "2", "last");
        List<JsonNode> messages = dora.messages(3, SOON);
        assertThat(seqs(messages)).containsExactly(1L, 2L, 3L);
        assertThat(messages).extracting(m -> m.path("msgId").asText()).doesNotHaveDuplicates();
        assertThat(messages.get(2).path("payload").asText()).isEqualTo("last");
      }
    }
  }

  @Test
  @DisplayName("R-4.2: who was never online finds what was sent; two devices each get everything")
  void neverOnlineAndTwoDevices() throws InterruptedException {
    try (EdgeClient eve = client(0, "eve", 0)) {
      for (int i = 1; i <= 40; i++) {
        eve.sendTo("fred", "e" + i, i);
      }
      assertThat(sent(eve, "e40")).isNotEmpty();
      try (EdgeClient phone = client(1, "fred", 0);
          EdgeClient laptop =
              EdgeClient.welcomed(
                  edge(0), Map.of("clientId", "fred-laptop", "user", "fred", "lastSeq", 38))) {
        // 40 is more than the first window of 32: acknowledgements open it.
        assertThat(seqs(phone.messages(32, SOON))).endsWith(32L);
        phone.ack(32);
        assertThat(seqs(phone.messages(8, SOON))).endsWith(40L);
        assertThat(phone.await("sync", SOON).path("cursor").asLong()).isEqualTo(40);
        assertThat(seqs(laptop.messages(2, SOON))).containsExactly(39L, 40L);
        laptop.await("sync", SOON);
        eve.sendTo("fred", "e41", 41);
        assertThat(seqs(phone.messages(1, SOON))).containsExactly(41L);
        assertThat(seqs(laptop.messages(1, SOON))).containsExactly(41L);
      }
    }
  }

  @Test
  @DisplayName("R-5.4: send to several users, and over HTTP with an idempotency key")
  void severalUsersAndHttp() throws InterruptedException, IOException {
    try (EdgeClient gina = client(0, "gina", 0);
        EdgeClient hans = client(0, "hans", 0);
        EdgeClient ivan = client(1, "ivan", 0)) {
      gina.sendText(
          "{\"type\":\"send\",\"clientMsgId\":\"g1\",\"to\":{\"users\":[\"hans\",\"ivan\"]},"
              + "\"payload\":{\"n\":1.50}}");
      String msgId = sent(gina, "g1");
      for (EdgeClient one : List.of(hans, ivan)) {
        JsonNode message = one.messages(1, SOON).get(0);
        assertThat(message.path("msgId").asText()).isEqualTo(msgId);
        assertThat(message.path("from").asText()).isEqualTo("gina");
        assertThat(message.path("payload").toString()).isEqualTo("{\"n\":1.5}");
      }
      HttpResponse<String> one = post("{\"to\":{\"user\":\"hans\"},\"payload\":7}", "key-1");
      HttpResponse<String> two = post("{\"to\":{\"user\":\"hans\"},\"payload\":7}", "key-1");
      assertThat(one.statusCode()).isEqualTo(202);
      assertThat(two.body()).isEqualTo(one.body());
      post("{\"to\":{\"user\":\"hans\"},\"payload\":8}", "key-2");
      assertThat(hans.messages(2, SOON))
          .extracting(m -> m.path("payload").asInt())
          .containsExactly(7, 8);
    }
  }

  private static HttpResponse<String> post(String body, String key)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/messages"))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  @DisplayName("R-6.3: a second connection of a client replaces the first, whichever edge")
  void replaced() throws InterruptedException {
    EdgeClient old = client(0, "jane", 0);
    try (EdgeClient fresh = client(1, "jane", 0)) {
      assertThat(old.awaitClosed(SOON).code()).isEqualTo(4002);
      try (EdgeClient kurt = client(0, "kurt", 0)) {
        kurt.sendTo("jane", "k1", 1);
        assertThat(seqs(fresh.messages(1, SOON))).containsExactly(1L);
      }
    }
  }

  @Test
  @DisplayName("R-4.4: what cannot be continued is said: new, ahead, epoch")
  void notResumed() throws InterruptedException {
    try (EdgeClient lena = client(0, "lena", 0)) {
      lena.sendTo("mike", "l1", 1);
      sent(lena, "l1");
      assertThat(reason(Map.of("clientId", "mike-1", "user", "mike"))).isEqualTo("new");
      assertThat(reason(Map.of("clientId", "mike-1", "user", "mike", "lastSeq", 9)))
          .isEqualTo("ahead");
      assertThat(
              reason(Map.of("clientId", "mike-1", "user", "mike", "lastSeq", 1, "epoch", "other")))
          .isEqualTo("epoch");
      assertThat(reason(Map.of("clientId", "mike-1", "user", "mike", "lastSeq", 0))).isEmpty();
    }
  }

  private static String reason(Map<String, ?> hello) throws InterruptedException {
    try (EdgeClient client = EdgeClient.connect(edge(1))) {
      client.hello(hello);
      JsonNode welcome = client.await("welcome", SOON);
      assertThat(welcome.path("resumed").asBoolean()).isEqualTo(!welcome.has("reason"));
      return welcome.path("reason").asText();
    }
  }

  @ParameterizedTest(name = "kill -9: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("R-4.2: mailboxes, cursors and known ids survive a restart on the same data")
  void restart(boolean killed) throws InterruptedException {
    String to = killed ? "olga" : "otto";
    try (EdgeClient nora = client(0, "nora", 0);
        EdgeClient before = EdgeClient.connect(edge(1))) {
      before.hello(Map.of("clientId", to, "lastSeq", 0));
      String epoch = before.await("welcome", SOON).path("epoch").asText();
      nora.sendTo(to, to + 1, 1);
      String first = sent(nora, to + 1);
      nora.sendTo(to, to + 2, 2);
      assertThat(seqs(before.messages(2, SOON))).containsExactly(1L, 2L);
      before.ack(1);
      before.close(1000, "bye");
      nora.sendTo(to, to + 3, 3);
      sent(nora, to + 3);
      assertThat(end(killed, nora)).isEqualTo(killed ? 1006 : 4001);
      dev = launch();
      try (EdgeClient again = client(1, "nora", 0);
          EdgeClient back = EdgeClient.connect(edge(0))) {
        back.hello(Map.of("clientId", to, "lastSeq", 1, "epoch", epoch));
        assertThat(back.await("welcome", SOON).path("resumed").asBoolean()).isTrue();
        again.sendTo(to, to + 1, 1);
        assertThat(sent(again, to + 1)).isEqualTo(first);
        again.sendTo(to, to + 4, 4);
        List<JsonNode> missed = back.messages(3, SOON);
        assertThat(seqs(missed)).containsExactly(2L, 3L, 4L);
        // Only this client's own cursor says that it was sent the first of them before.
        assertThat(missed.get(0).path("redelivered").asBoolean()).isTrue();
        assertThat(missed.get(2).path("redelivered").asBoolean()).isFalse();
      }
    }
  }

  /** Ends everything; returns what a connected client was told. */
  private static int end(boolean killed, EdgeClient client) throws InterruptedException {
    if (killed) {
      dev.kill9();
    } else {
      assertThat(dev.terminate(Duration.ofSeconds(40))).isZero();
    }
    return client.awaitClosed(SOON).code();
  }
}
