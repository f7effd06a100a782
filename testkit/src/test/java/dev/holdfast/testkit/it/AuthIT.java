package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocketHandshakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two edges that ask for tokens: who comes in, what he may do, for how long. */
final class AuthIT {
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final String SECRET = "a-secret-that-is-long-enough-for-HS256";
  private static final Tokens TOKENS = new Tokens(SECRET);
  private static final String PAYLOAD = "for-bobs-eyes-only";

  @TempDir static Path dir;
  private static Cluster cluster;
  private static List<Path> logs = List.of();

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    Path secret = Files.writeString(dir.resolve("secret"), SECRET + "\n");
    List<String> flags = new ArrayList<>(HoldfastProcess.SMALL_JVM);
    flags.add("-DHOLDFAST_LOG_LEVEL=TRACE");
    flags.add("-DHOLDFAST_LIBRARY_LOG_LEVEL=INFO");
    for (int i = 1; i <= 2; i++) {
      Files.deleteIfExists(Path.of("target", "process-logs", "auth-edge-" + i + ".log"));
    }
    cluster =
        Cluster.start(
            ClusterSpec.named("auth")
                .withReplicas("a")
                .withJvmFlags(flags)
                .withEdgeOptions("--auth", "jwt", "--jwt-secret-file", secret.toString()));
    logs = List.of(cluster.edge(0).process().log(), cluster.edge(1).process().log());
  }

  @AfterAll
  static void nothingSecretWasLogged() throws IOException {
    cluster.close();
    List<String> secrets = new ArrayList<>(TOKENS.secrets());
    secrets.add(PAYLOAD);
    for (Path log : logs) {
      String text = Files.readString(log);
      assertThat(text).contains("AWAITING_WELCOME -> LIVE"); // it did log everything
      assertThat(secrets).noneMatch(text::contains);
    }
  }

  private static EdgeClient welcomed(int edge, String client, String token)
      throws InterruptedException {
    return EdgeClient.welcomed(
        cluster.edgeUri(edge), Map.of("clientId", client, "token", token, "lastSeq", 0));
  }

  private static int closeOf(Map<String, ?> hello) throws InterruptedException {
    try (EdgeClient client = EdgeClient.connect(cluster.edgeUri(0))) {
      client.hello(hello);
      return client.awaitClosed(SOON).code();
    }
  }

  @Test
  @DisplayName("a token in the handshake or in hello names the user, on any edge")
  void comesIn() throws InterruptedException {
    Map<String, String> header = Map.of("Authorization", "Bearer " + TOKENS.issue("ann", 60, ""));
    try (EdgeClient ann = EdgeClient.connect(cluster.edgeUri(0), header, "holdfast.v1");
        EdgeClient bea = welcomed(1, "bea-phone", TOKENS.issue("bea", 60, ""))) {
      ann.hello(Map.of("clientId", "ann-phone"));
      ann.await("welcome", SOON);
      ann.sendTo("bea", "1", PAYLOAD);
      ann.await("sent", SOON);
      JsonNode message = bea.await("message", SOON);
      assertThat(message.path("from").asText()).isEqualTo("ann");
      assertThat(message.path("payload").asText()).isEqualTo(PAYLOAD);
    }
  }

  @Test
  @DisplayName("no token, a bad one and another user's are refused, each in its way")
  void staysOut() throws InterruptedException {
    String good = TOKENS.issue("ann", 60, "");
    String expired = TOKENS.issue("ann", -60, "");
    assertThat(closeOf(Map.of("clientId", "c", "user", "ann"))).isEqualTo(4401);
    assertThat(closeOf(Map.of("clientId", "c", "token", expired))).isEqualTo(4401);
    assertThat(closeOf(Map.of("clientId", "c", "token", good + "x"))).isEqualTo(4401);
    assertThat(closeOf(Map.of("clientId", "c", "token", good, "user", "bob"))).isEqualTo(4403);
    assertThatThrownBy(
            () ->
                EdgeClient.tryConnect(
                        cluster.edgeUri(0), Map.of("Authorization", "Bearer " + expired), "")
                    .get())
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            WebSocketHandshakeException.class,
            e -> assertThat(e.getResponse().statusCode()).isEqualTo(401));
  }

  @Test
  @DisplayName("a session token of one edge is read by the other; somebody else's gives `new`")
  void sessionTokens() throws InterruptedException {
    String token = TOKENS.issue("carol", 60, "");
    String sessionToken;
    try (EdgeClient first = EdgeClient.connect(cluster.edgeUri(0))) {
      first.hello(Map.of("clientId", "phone", "token", token, "lastSeq", 0));
      JsonNode welcome = first.await("welcome", SOON);
      assertThat(welcome.path("resumed").asBoolean()).isTrue();
      sessionToken = welcome.path("sessionToken").asText();
    }
    for (String client : List.of("phone", "laptop")) {
      try (EdgeClient second = EdgeClient.connect(cluster.edgeUri(1))) {
        second.hello(
            Map.of("clientId", client, "token", token, "lastSeq", 0, "sessionToken", sessionToken));
        JsonNode welcome = second.await("welcome", SOON);
        assertThat(welcome.path("resumed").asBoolean()).isEqualTo(client.equals("phone"));
        assertThat(welcome.path("reason").asText()).isEqualTo(client.equals("phone") ? "" : "new");
      }
    }
  }

  @Test
  @DisplayName("a connection ends with its token unless it is renewed")
  void expires() throws InterruptedException {
    try (EdgeClient renewed = welcomed(0, "dan-phone", TOKENS.issue("dan", 3, ""));
        EdgeClient left = welcomed(1, "eve-phone", TOKENS.issue("eve", 3, ""))) {
      assertThat(renewed.await("error", Duration.ofSeconds(30)).path("code").asText())
          .isEqualTo("token_expiring");
      renewed.sendText("{\"type\":\"auth\",\"token\":\"" + TOKENS.issue("dan", 600, "") + "\"}");
      assertThat(renewed.await("auth", SOON).path("expiresAt").asLong())
          .isGreaterThan(System.currentTimeMillis() + 500_000);
      assertThat(left.awaitClosed(Duration.ofSeconds(30)).code()).isEqualTo(4401);
      renewed.sendTo("bob", "1", "still here");
      renewed.await("sent", SOON);
    }
  }

  @Test
  @DisplayName("a token may narrow whom its user may write to")
  void narrowed() throws InterruptedException {
    String token = TOKENS.issue("fay", 60, ",\"holdfast\":{\"send\":[\"b*\"]}");
    try (EdgeClient fay = welcomed(0, "fay-phone", token)) {
      fay.sendTo("ann", "1", "x");
      JsonNode error = fay.await("error", SOON);
      assertThat(error.path("code").asText()).isEqualTo("forbidden");
      assertThat(error.path("clientMsgId").asText()).isEqualTo("1");
      fay.sendTo("bob", "2", "x");
      assertThat(fay.await("sent", SOON).path("clientMsgId").asText()).isEqualTo("2");
    }
  }

  @Test
  @DisplayName("publishing needs a token that says so, and names its sub as the sender")
  void publishes() throws IOException, InterruptedException {
    assertThat(post("").statusCode()).isEqualTo(401);
    assertThat(post(TOKENS.issue("shop", 60, "")).statusCode()).isEqualTo(403);
    try (EdgeClient gil = welcomed(1, "gil-phone", TOKENS.issue("gil", 60, ""))) {
      String may = TOKENS.issue("shop", 60, ",\"holdfast\":{\"publish\":true}");
      assertThat(post(may).statusCode()).isEqualTo(202);
      assertThat(gil.await("message", SOON).path("from").asText()).isEqualTo("shop");
    }
  }

  private static HttpResponse<String> post(String token) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(cluster.edgeHttp(0) + "/v1/messages"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"to\":{\"user\":\"gil\"},\"payload\":1}"));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }
}
