package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.Jwts;
import dev.holdfast.edge.auth.Origins;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of other origins: which may read what, and which may write. */
@Timeout(30)
class CorsTest {
  private static final String ALLOWED = "https://chat.example.com";
  private static final String FOREIGN = "https://evil.example";
  private static final String GOOD = "{\"to\":{\"user\":\"bob\"},\"payload\":1}";
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private TestServer server;

  @BeforeEach
  void start() {
    AuthConfig.Jwt jwt =
        new AuthConfig.Jwt(
            new AuthConfig.KeyPlace.Secrets(List.of(Jwts.SECRET)), null, null, 10_000);
    server =
        new TestServer(
            Limits.DEFAULT, new AuthConfig(jwt, List.of(), Origins.only(List.of(ALLOWED))));
    server.presence.change("ann", true, 1_795_998_649_948L);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/history",
        "/v1/channels/rooms:lobby/history",
        "/v1/presence/ann",
        "/v1/messages"
      })
  @DisplayName("a preflight of an allowed origin tells what may be sent")
  void preflight(String path) throws Exception {
    HttpResponse<String> answer =
        send("OPTIONS", path, null, "Origin", ALLOWED, "Access-Control-Request-Method", "GET");
    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(header(answer, "Access-Control-Allow-Origin")).isEqualTo(ALLOWED);
    assertThat(header(answer, "Access-Control-Allow-Headers"))
        .isEqualTo("Authorization, Content-Type, Idempotency-Key");
    assertThat(header(answer, "Access-Control-Allow-Methods"))
        .isEqualTo(path.endsWith("messages") ? "POST" : "GET, HEAD");
    assertThat(header(answer, "Access-Control-Allow-Credentials")).isNull();
    assertThat(header(answer, "Vary")).isEqualTo("Origin");
  }

  @ParameterizedTest
  @ValueSource(strings = {FOREIGN, "null", "https://chat.example.com.evil.example"})
  @DisplayName("a preflight of another origin is refused")
  void foreignPreflight(String origin) throws Exception {
    HttpResponse<String> answer =
        send(
            "OPTIONS",
            "/v1/messages",
            null,
            "Origin",
            origin,
            "Access-Control-Request-Method",
            "POST");
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(header(answer, "Access-Control-Allow-Origin")).isNull();
  }

  @Test
  @DisplayName("answers, also refusals, name the origin that asked, never all")
  void reads() throws Exception {
    String token = "Bearer " + Jwts.hs256(Jwts.SECRET, Jwts.claims("ann", exp(), ""));
    String path = "/v1/presence/ann";
    HttpResponse<String> read = send("GET", path, null, "Origin", ALLOWED, "Authorization", token);
    assertThat(read.statusCode()).isEqualTo(200);
    assertThat(header(read, "Access-Control-Allow-Origin")).isEqualTo(ALLOWED);
    HttpResponse<String> refused = send("GET", path, null, "Origin", ALLOWED);
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(header(refused, "Access-Control-Allow-Origin")).isEqualTo(ALLOWED);
    HttpResponse<String> foreign =
        send("GET", path, null, "Origin", FOREIGN, "Authorization", token);
    assertThat(header(foreign, "Access-Control-Allow-Origin")).isNull();
    HttpResponse<String> program = send("GET", path, null, "Authorization", token);
    assertThat(program.statusCode()).isEqualTo(200);
    assertThat(header(program, "Access-Control-Allow-Origin")).isNull();
    assertThat(header(program, "Vary")).isEqualTo("Origin");
  }

  @Test
  @DisplayName("what a foreign page would write without a preflight is not taken")
  void writes() throws Exception {
    try (TestServer open = new TestServer(Limits.DEFAULT, AuthConfig.DEV)) {
      HttpResponse<String> foreign = post(open, FOREIGN);
      assertThat(foreign.statusCode()).isEqualTo(403);
      assertThat(open.log.events(dev.holdfast.record.Event.class)).isEmpty();
      assertThat(post(open, "http://localhost:3000").statusCode()).isEqualTo(202);
      assertThat(open.log.events(dev.holdfast.record.Event.class)).hasSize(1);
    }
  }

  private static HttpResponse<String> post(TestServer to, String origin) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + to.port() + "/v1/messages"))
            .header("Origin", origin)
            .POST(BodyPublishers.ofString(GOOD))
            .build(),
        BodyHandlers.ofString());
  }

  private static long exp() {
    return System.currentTimeMillis() / 1_000 + 60;
  }

  private static @Nullable String header(HttpResponse<String> answer, String name) {
    return answer.headers().firstValue(name).orElse(null);
  }

  private HttpResponse<String> send(
      String method, String path, @Nullable String body, String... headers) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .headers(headers)
            .build(),
        BodyHandlers.ofString());
  }
}
