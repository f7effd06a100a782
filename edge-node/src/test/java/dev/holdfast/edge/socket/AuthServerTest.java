package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import dev.holdfast.edge.auth.Jwts;
import dev.holdfast.edge.auth.Origins;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who comes in at the real server, by its wall clock. */
@Timeout(30)
class AuthServerTest {
  private static final String BODY = "{\"from\":\"eve\",\"to\":{\"user\":\"bob\"},\"payload\":1}";
  private static final String MAY_PUBLISH = ",'holdfast':{'publish':true,'send':['bob','b*']}";

  private final HttpClient http = HttpClient.newHttpClient();
  private TestServer server = start(new KeyPlace.Secrets(List.of(Jwts.SECRET)));

  private static TestServer start(KeyPlace keys) {
    return new TestServer(
        Limits.DEFAULT,
        new AuthConfig(new AuthConfig.Jwt(keys, null, null, 0), List.of(), Origins.SAME_HOST));
  }

  @BeforeEach
  void fresh() {
    server.close();
    server = start(new KeyPlace.Secrets(List.of(Jwts.SECRET)));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String token(String user, long seconds, String more) {
    long exp = System.currentTimeMillis() / 1_000 + seconds;
    return Jwts.hs256(Jwts.SECRET, Jwts.claims(user, exp, more));
  }

  private RawClient ask(String... headers) throws IOException {
    return RawClient.ask(server.port(), headers);
  }

  private static void hello(RawClient client, String more) throws IOException {
    client.text("{\"type\":\"hello\",\"clientId\":\"c\"" + more + "}");
  }

  private static String header(RawClient client, String name) {
    return client.head().stream()
        .filter(line -> line.startsWith(name + ":"))
        .findFirst()
        .orElse("");
  }

  @Test
  void aTokenInTheHandshake() throws IOException {
    try (RawClient client = ask("Authorization: Bearer " + token("ann", 60, ""))) {
      assertThat(client.status()).isEqualTo(101);
      hello(client, "");
      assertThat(client.next()).contains("\"welcome\"");
      assertThat(server.log.offers.get(0).users()).containsExactly("ann");
    }
  }

  @Test
  void aBatchIsTheTokensUsersAndGoesOnlyWhereItMay() throws Exception {
    String to = "{\"from\":\"eve\",\"to\":{\"user\":\"%s\"},\"payload\":1}";
    String body = "{\"messages\":[" + to.formatted("bob") + "," + to.formatted("carol") + "]}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/messages"))
            .header("Authorization", "Bearer " + token("shop", 60, MAY_PUBLISH))
            .header("Idempotency-Key", "k")
            .POST(BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(answer.body())
        .contains(MessageId.text(MessageId.hash("shop", "", "k:0")), "\"status\":403", "forbidden");
    assertThat(server.log.events(Event.Message.class))
        .extracting(Event.Message::from)
        .containsExactly("shop");
  }

  @Test
  void aTokenInHello() throws IOException {
    try (RawClient client = ask()) {
      assertThat(client.status()).isEqualTo(101);
      hello(client, ",\"token\":\"" + token("ann", 60, "") + "\"");
      assertThat(client.next()).contains("\"welcome\"");
      assertThat(server.log.offers.get(0).users()).containsExactly("ann");
    }
  }

  @Test
  void aBadTokenInTheHandshakeIsRefusedBeforeTheUpgrade() throws IOException {
    for (String value :
        List.of(
            "Bearer " + token("ann", -1, ""),
            "Bearer x",
            "Bearer ",
            "bearer " + token("a b", 60, ""),
            "Basic YTpi")) {
      try (RawClient client = ask("Authorization: " + value)) {
        assertThat(client.status()).as(value).isEqualTo(401);
        assertThat(header(client, "WWW-Authenticate")).contains("Bearer");
        assertThat(header(client, "Content-Type")).contains("application/problem+json");
      }
    }
    assertThat(server.counters.upgradesUnauthorized.sum()).isEqualTo(5);
    assertThat(server.counters.connectionsOpened.sum()).isZero();
  }

  @Test
  void closesSayWhy() throws IOException {
    try (RawClient none = ask();
        RawClient bad = ask();
        RawClient other = ask("Authorization: Bearer " + token("ann", 60, ""))) {
      hello(none, "");
      assertThat(none.rest()).last().isEqualTo("close 4401");
      hello(bad, ",\"token\":\"x\"");
      assertThat(bad.rest()).last().isEqualTo("close 4401");
      hello(other, ",\"user\":\"bob\"");
      assertThat(other.rest()).last().isEqualTo("close 4403");
    }
    assertThat(server.log.offers).isEmpty();
  }

  @Test
  void aConnectionEndsWithItsToken() throws IOException {
    try (RawClient client = ask()) {
      hello(client, ",\"token\":\"" + token("ann", 2, "") + "\"");
      List<String> all = client.rest();
      assertThat(all).hasSize(3);
      assertThat(all.get(0)).contains("\"welcome\"");
      assertThat(all.get(1)).contains("\"token_expiring\"");
      assertThat(all.get(2)).isEqualTo("close 4401");
    }
  }

  @Test
  void withoutKeysComeLater() throws Exception {
    server.close();
    server = start(new KeyPlace.JwksUrl(URI.create("http://127.0.0.1:9/jwks")));
    String token = token("ann", 60, "");
    try (RawClient client = ask("Authorization: Bearer " + token);
        RawClient hello = ask()) {
      assertThat(client.status()).isEqualTo(503);
      assertThat(header(client, "Retry-After")).isEqualTo("Retry-After: 2");
      hello(hello, ",\"token\":\"" + token + "\"");
      assertThat(hello.next()).isEqualTo("close 1013");
    }
    HttpResponse<String> answer = post(BODY, "Authorization", "Bearer " + token);
    problem(answer, 503, "keys_unavailable");
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
  }

  @Test
  void pagesOfOtherOriginsStayOut() throws IOException {
    try (RawClient same = ask("Origin: http://localhost");
        RawClient other = ask("Origin: https://evil.example");
        RawClient opaque = ask("Origin: null")) {
      assertThat(same.status()).isEqualTo(101);
      assertThat(other.status()).isEqualTo(403);
      assertThat(header(other, "Content-Type")).contains("application/problem+json");
      assertThat(opaque.status()).isEqualTo(403);
    }
    assertThat(server.counters.upgradesForbidden.sum()).isEqualTo(2);
  }

  @Test
  void whoMayPublishDoesSoUnderItsOwnName() throws Exception {
    String token = "Bearer " + token("shop", 60, MAY_PUBLISH);
    HttpResponse<String> answer = post(BODY, "Authorization", token, "Idempotency-Key", "k");
    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(answer.body()).contains(MessageId.text(MessageId.hash("shop", "", "k")));
    assertThat(server.log.events(Event.Message.class).get(0).from()).isEqualTo("shop");
  }

  @Test
  void whoMayNotPublishIsTold() throws Exception {
    HttpResponse<String> none = post(BODY);
    problem(none, 401, "unauthorized");
    assertThat(none.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    HttpResponse<String> bad = post(BODY, "Authorization", "Bearer " + token("shop", -1, ""));
    problem(bad, 401, "unauthorized");
    assertThat(bad.headers().firstValue("WWW-Authenticate"))
        .contains("Bearer error=\"invalid_token\"");
    HttpResponse<String> without = post(BODY, "Authorization", "Bearer " + token("shop", 60, ""));
    problem(without, 403, "forbidden");
    assertThat(without.headers().firstValue("WWW-Authenticate"))
        .contains("Bearer error=\"insufficient_scope\"");
    String elsewhere = BODY.replace("bob", "carol");
    problem(
        post(elsewhere, "Authorization", "Bearer " + token("shop", 60, MAY_PUBLISH)),
        403,
        "forbidden");
    assertThat(server.log.offers).isEmpty();
    assertThat(server.counters.publishesUnauthorized.sum()).isEqualTo(3);
  }

  @Test
  void healthIsForEverybody() throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + "/healthz");
    assertThat(http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).statusCode())
        .isEqualTo(200);
  }

  private static void problem(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(answer.body()).contains("\"code\":\"" + code + "\"");
  }

  private HttpResponse<String> post(String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/messages"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.setHeader(headers[i], headers[i + 1]);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }
}
