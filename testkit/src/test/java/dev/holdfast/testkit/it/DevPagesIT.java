package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code dev} serves for people: its pages, and the API of the panel that breaks things. */
@Timeout(120)
class DevPagesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration QUIET = Duration.ofMillis(300);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static HoldfastProcess dev;
  private static String pages;

  @BeforeAll
  static void start(@TempDir Path data) throws InterruptedException {
    dev =
        HoldfastProcess.start(
                "dev-pages",
                List.of("dev", "--port", "0", "--broker-port", "0", "--data", data.toString()))
            .awaitReady(Duration.ofSeconds(90));
    pages = dev.said("pages ").orElseThrow().replaceFirst("/$", "");
  }

  @AfterAll
  static void stop() throws InterruptedException {
    assertThat(dev.terminate(Duration.ofSeconds(60))).isZero();
  }

  private static HttpResponse<String> send(
      String method, String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(pages + path))
            .timeout(Duration.ofSeconds(10))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  private static HttpResponse<String> post(String path, String body) throws Exception {
    return send("POST", path, body, "X-Holdfast-Dev", "1");
  }

  private static JsonNode status() throws Exception {
    HttpResponse<String> answer = send("GET", "/dev/status", "", "X-Holdfast-Dev", "1");
    assertThat(answer.statusCode()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private static URI relay(int edge, String tag) throws Exception {
    return URI.create(status().path("edges").path(edge).path("relay").asText() + "?tag=" + tag);
  }

  private static Map<String, String> as(String user) {
    return Map.of("clientId", user + "-page", "user", user);
  }

  @Test
  @DisplayName("the pages are there, with their types, and are asked for again cheaply")
  void pages() throws Exception {
    for (String path : List.of("/", "/chat.html", "/market.html")) {
      HttpResponse<String> page = send("GET", path, "");
      assertThat(page.statusCode()).as(path).isEqualTo(200);
      assertThat(page.body()).contains("<main");
      assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
      assertThat(page.headers().firstValue("Cache-Control")).contains("no-cache");
      assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
          .startsWith("default-src 'self';");
      String etag = page.headers().firstValue("ETag").orElseThrow();
      assertThat(send("GET", path, "", "If-None-Match", etag).statusCode()).isEqualTo(304);
      HttpResponse<String> head = send("HEAD", path, "");
      assertThat(head.statusCode()).isEqualTo(200);
      assertThat(head.body()).isEmpty();
    }
    HttpResponse<String> library = send("GET", "/holdfast-client.js", "");
    assertThat(library.statusCode()).isEqualTo(200);
    assertThat(library.headers().firstValue("Content-Type"))
        .contains("text/javascript; charset=utf-8");
    assertThat(library.body()).contains("HoldfastClient");
    assertThat(send("POST", "/chat.html", "x").statusCode()).isEqualTo(405);
    for (String path : List.of("/chat", "/pages/", "/..%2flogback.xml", "/%2e%2e/logback.xml")) {
      assertThat(send("GET", path, "").statusCode()).as(path).isEqualTo(404);
    }
  }

  @Test
  @DisplayName("everything that a page needs is served")
  void links() throws Exception {
    for (String path : List.of("/", "/chat.html", "/market.html")) {
      String page = send("GET", path, "").body();
      List<String> named =
          Pattern.compile("(?:src|href)=\"(/[^\"]*)\"")
              .matcher(page)
              .results()
              .map(match -> match.group(1))
              .toList();
      assertThat(named).hasSizeGreaterThan(4);
      for (String one : named) {
        assertThat(send("GET", one, "").statusCode()).as(one).isEqualTo(200);
      }
    }
  }

  @Test
  @DisplayName("without the header, or for a foreign page, nothing is told and nothing done")
  void foreign() throws Exception {
    assertThat(send("GET", "/dev/status", "").statusCode()).isEqualTo(403);
    assertThat(send("POST", "/dev/edges/edge-1/kill", "").statusCode()).isEqualTo(403);
    for (String origin : List.of("https://evil.example", "http://127.0.0.1:1", "null")) {
      HttpResponse<String> kill =
          send("POST", "/dev/edges/edge-1/kill", "", "Origin", origin, "X-Holdfast-Dev", "1");
      assertThat(kill.statusCode()).as(origin).isEqualTo(403);
      HttpResponse<String> preflight =
          send(
              "OPTIONS",
              "/dev/edges/edge-1/kill",
              "",
              "Origin",
              origin,
              "Access-Control-Request-Method",
              "POST");
      assertThat(preflight.statusCode()).isEqualTo(403);
      assertThat(preflight.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    }
    assertThat(status().path("edges").path(0).path("up").asBoolean()).isTrue();
    String sibling = status().path("edges").path(1).path("http").asText();
    HttpResponse<String> own =
        send("GET", "/dev/status", "", "Origin", sibling, "X-Holdfast-Dev", "1");
    assertThat(own.statusCode()).isEqualTo(200);
    assertThat(own.headers().firstValue("Access-Control-Allow-Origin")).contains(sibling);
  }

  @Test
  @DisplayName("what is asked for wrongly is refused with a reason")
  void refusals() throws Exception {
    assertThat(post("/dev/links/nobody/cut", "").statusCode()).isEqualTo(404);
    assertThat(post("/dev/links/a%20b/cut", "").statusCode()).isEqualTo(400);
    assertThat(post("/dev/edges/edge-9/kill", "").statusCode()).isEqualTo(404);
    assertThat(post("/dev/flood", "{}").statusCode()).isEqualTo(400);
    assertThat(post("/dev/flood", "{\"user\":\"x\",\"n\":1000000}").statusCode()).isEqualTo(400);
    assertThat(post("/dev/flood", "[").statusCode()).isEqualTo(400);
    assertThat(post("/dev/other", "").statusCode()).isEqualTo(404);
    assertThat(send("PUT", "/dev/status", "", "X-Holdfast-Dev", "1").statusCode()).isEqualTo(405);
  }

  @Test
  @DisplayName("a page's connection is frozen, thawed and cut by its tag")
  void breaksLinks() throws Exception {
    EdgeClient client = EdgeClient.welcomed(relay(0, "t-1"), as("dora"));
    assertThat(post("/dev/links/t-1/freeze", "").statusCode()).isEqualTo(200);
    client.sendText("ping");
    assertThatThrownBy(() -> client.await("pong", QUIET)).isInstanceOf(AssertionError.class);
    assertThat(post("/dev/links/t-1/thaw", "").statusCode()).isEqualTo(200);
    client.await("pong", PATIENCE);
    assertThat(post("/dev/links/t-1/cut", "").statusCode()).isEqualTo(200);
    assertThat(client.awaitClosed(PATIENCE).code()).isEqualTo(1006);
  }

  @Test
  @DisplayName("a killed edge resets its connections, and is back on its port")
  void killsAnEdge() throws Exception {
    URI edge = URI.create(status().path("edges").path(1).path("ws").asText());
    EdgeClient direct = EdgeClient.welcomed(edge, as("emil"));
    EdgeClient relayed = EdgeClient.welcomed(relay(1, "t-2"), as("frida"));
    assertThat(post("/dev/edges/edge-2/kill", "").statusCode()).isEqualTo(202);
    assertThat(direct.awaitClosed(PATIENCE).code()).isEqualTo(1006);
    assertThat(relayed.awaitClosed(PATIENCE).code()).isEqualTo(1006);
    assertThat(status().path("edges").path(1).path("up").asBoolean()).isFalse();
    assertThat(post("/dev/edges/edge-2/kill", "").statusCode()).isEqualTo(409);
    // The log heard no disconnect, so the user is not offline yet.
    HttpResponse<String> presence = send("GET", "/v1/presence/emil", "");
    assertThat(JSON.readTree(presence.body()).path("status").asText()).isEqualTo("online");
    await().atMost(PATIENCE).until(() -> status().path("edges").path(1).path("up").asBoolean());
    Map<String, ?> hello = Map.of("clientId", "emil-page", "user", "emil", "lastSeq", 0);
    try (EdgeClient back = EdgeClient.connect(edge)) {
      back.hello(hello);
      assertThat(back.await("welcome", PATIENCE).path("resumed").asBoolean()).isTrue();
    }
  }

  @Test
  @DisplayName("prices flow while they are asked for")
  void market() throws Exception {
    assertThat(post("/dev/market/start", "{\"perSecond\":200}").statusCode()).isEqualTo(200);
    JsonNode market = status().path("market");
    assertThat(market.path("running").asBoolean()).isTrue();
    assertThat(market.path("symbols")).hasSize(12);
    try (EdgeClient client = EdgeClient.welcomed(relay(0, "t-3"), as("gina"))) {
      String channel = "ticks:" + market.path("symbols").path(0).asText();
      client.sendText("{\"type\":\"subscribe\",\"channel\":\"" + channel + "\"}");
      long last = 0;
      for (int i = 0; i < 5; i++) {
        JsonNode payload = client.await("event", PATIENCE).path("payload");
        assertThat(payload.path("price").asDouble()).isPositive();
        assertThat(payload.path("n").asLong()).isGreaterThan(last);
        last = payload.path("n").asLong();
      }
    }
  }

  @Test
  @DisplayName("a flood reaches its user, message by message")
  void flood() throws Exception {
    try (EdgeClient client = EdgeClient.welcomed(relay(0, "t-4"), as("hugo"))) {
      String body = "{\"user\":\"hugo\",\"n\":150,\"perSecond\":1000}";
      assertThat(post("/dev/flood", body).statusCode()).isEqualTo(202);
      for (int i = 1; i <= 150; i++) {
        JsonNode message = client.await("message", PATIENCE);
        assertThat(message.path("payload").path("n").asInt()).isEqualTo(i);
        client.ack(message.path("seq").asLong());
      }
    }
    // The messages can be faster than the answers to whoever sent them.
    await().atMost(PATIENCE).until(() -> status().at("/flood/accepted").asInt() == 150);
    assertThat(status().at("/flood/refused").asInt(-1)).isZero();
  }
}
