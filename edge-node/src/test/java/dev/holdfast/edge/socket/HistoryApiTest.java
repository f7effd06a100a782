package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import dev.holdfast.edge.auth.Jwts;
import dev.holdfast.edge.auth.Origins;
import dev.holdfast.edge.history.Queries;
import dev.holdfast.record.Event;
import dev.holdfast.record.HistoryPage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class HistoryApiTest {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** So many times sooner do the tests give up. */
  private static final int HURRY = 20;

  @Test
  void asksTheLogAndPassesItsAnswerOn() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      CompletableFuture<HttpResponse<String>> asked =
          get(server, "/v1/history?user=ann&after=7&limit=20&epoch=e-1&unknown=1");
      Event.Query query = query(server, 0);
      assertThat(query.after()).isEqualTo(7);
      assertThat(query.limit()).isEqualTo(20);
      assertThat(query.epoch()).isEqualTo("e-1");
      assertThat(query.edge()).isEqualTo(server.context.identity().current());
      assertThat(server.log.offers.get(0).users()).containsExactly("ann");

      server.queries.answered(query.queryId(), "ann", page("e-1").utf8());

      HttpResponse<String> answer = asked.get(5, TimeUnit.SECONDS);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
      assertThat(answer.body()).isEqualTo(page("e-1").toString());
      assertThat(answers(server)).isEqualTo(1);
    }
  }

  @Test
  void headSaysHowLongTheAnswerWouldBe() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      URI uri = URI.create("http://127.0.0.1:" + server.port() + "/v1/history?user=ann");
      HttpRequest head =
          HttpRequest.newBuilder(uri).method("HEAD", HttpRequest.BodyPublishers.noBody()).build();
      CompletableFuture<HttpResponse<String>> asked = HTTP.sendAsync(head, BodyHandlers.ofString());
      server.queries.answered(query(server, 0).queryId(), "ann", page("e-1").utf8());
      HttpResponse<String> answer = asked.get(5, TimeUnit.SECONDS);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEmpty();
      assertThat(answer.headers().firstValueAsLong("Content-Length")).hasValue(page("e-1").size());
    }
  }

  @Test
  void whatIsNotSaidHasADefault() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      CompletableFuture<HttpResponse<String>> asked = get(server, "/v1/history?user=ann");
      Event.Query query = query(server, 0);
      assertThat(query.after()).isZero();
      assertThat(query.limit()).isEqualTo(100);
      assertThat(query.epoch()).isNull();
      server.queries.answered(query.queryId(), "ann", page("e-1").utf8());
      assertThat(asked.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', user",
    "user=a%20b, user",
    "user=, user",
    "user=a&user=b, user",
    "user=a&after=-1, after",
    "user=a&after=x, after",
    "user=a&after=, after",
    "user=a&after=1&after=2, after",
    "user=a&after=9999999999999999999, after",
    "user=a&limit=0, limit",
    "user=a&limit=1001, limit",
    "user=a&limit=1.5, limit",
    "user=a&epoch=%22, epoch",
  })
  void whatIsWrongIsNamed(String query, String parameter) throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      HttpResponse<String> answer = get(server, "/v1/history?" + query).get(5, TimeUnit.SECONDS);
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("\"code\":\"bad_frame\",\"detail\":\"" + parameter);
      assertThat(server.log.offers).isEmpty();
    }
  }

  @Test
  void anotherEpochIsAConflictThatTellsIt() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      CompletableFuture<HttpResponse<String>> asked = get(server, "/v1/history?user=ann&epoch=old");
      server.queries.answered(query(server, 0).queryId(), "ann", page("new").utf8());
      HttpResponse<String> answer = asked.get(5, TimeUnit.SECONDS);
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).contains("\"code\":\"other_epoch\"").contains("\"epoch\":\"new\"");
    }
  }

  @Test
  void aMailboxThatIsGoneIsAConflictToo() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      CompletableFuture<HttpResponse<String>> asked = get(server, "/v1/history?user=ann&epoch=old");
      byte[] none = new HistoryPage(null, 0, 1, 1).json(false).utf8();
      server.queries.answered(query(server, 0).queryId(), "ann", none);
      HttpResponse<String> answer = asked.get(5, TimeUnit.SECONDS);
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).contains("\"epoch\":null");
    }
  }

  @Test
  void onlyTheFirstAnswerCountsAndOnlyOfTheRightUser() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      CompletableFuture<HttpResponse<String>> asked = get(server, "/v1/history?user=ann");
      String id = query(server, 0).queryId();
      server.queries.answered(id, "bob", page("bobs").utf8());
      assertThat(server.counters.deliveriesMisaddressed.sum()).isEqualTo(1);
      server.queries.answered(id, "ann", page("first").utf8());
      server.queries.answered(id, "ann", page("second").utf8());
      assertThat(asked.get(5, TimeUnit.SECONDS).body()).contains("first");
    }
  }

  @Test
  void whatKafkaRefusesIsToBeAskedAgain() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      server.log.full = true;
      assertLater(get(server, "/v1/history?user=ann"), "overloaded");
      server.log.full = false;
      server.log.holdOutcomes = true;
      CompletableFuture<HttpResponse<String>> asked = get(server, "/v1/history?user=ann");
      query(server, 0);
      var outcome = server.log.offers.get(0).outcome();
      Objects.requireNonNull(outcome).done(false);
      assertLater(asked, "not_stored");
    }
  }

  @Test
  void whoIsNotAnsweredHearsSoInTime() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      server.hurry = HURRY;
      long from = System.nanoTime();
      assertLater(get(server, "/v1/history?user=ann"), "overloaded");
      long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
      assertThat(ms).isBetween(Queries.TIMEOUT_MS / HURRY - 1, 5_000L);
      assertThat(server.counters.queriesUnanswered.sum()).isEqualTo(1);
      server.queries.answered(query(server, 0).queryId(), "ann", page("late").utf8());
      assertThat(answers(server)).isZero();
    }
  }

  @Test
  void soManyAreUnderWayAndNoMore() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
      for (int i = 0; i < Queries.MOST; i++) {
        asked.add(get(server, "/v1/history?user=ann"));
      }
      query(server, Queries.MOST - 1);
      assertLater(get(server, "/v1/history?user=ann"), "overloaded");
      assertThat(server.log.offers).hasSize(Queries.MOST);

      for (Event.Query query : server.log.events(Event.Query.class)) {
        server.queries.answered(query.queryId(), "ann", page("e").utf8());
      }
      for (CompletableFuture<HttpResponse<String>> one : asked) {
        assertThat(one.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      }
      CompletableFuture<HttpResponse<String>> next = get(server, "/v1/history?user=ann");
      server.queries.answered(query(server, Queries.MOST).queryId(), "ann", page("e").utf8());
      assertThat(next.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aUserHasARateAndOthersAreNotConcerned() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT, AdmissionConfig.DEFAULT, null)) {
      server.log.full = true; // every question is answered at once, and counts all the same
      int status = 503;
      for (int i = 0; i < 50 && status == 503; i++) {
        status = get(server, "/v1/history?user=ann").get(5, TimeUnit.SECONDS).statusCode();
      }
      HttpResponse<String> answer = get(server, "/v1/history?user=ann").get(5, TimeUnit.SECONDS);
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(answer.body()).contains("\"rate_limited\"");
      assertLater(get(server, "/v1/history?user=bob"), "overloaded");
    }
  }

  @Test
  void whoDoesNotReadHisAnswerLosesTheConnection() throws Exception {
    byte[] large = RawJson.of('"' + "x".repeat(30_000_000) + '"').utf8();
    try (TestServer server = new TestServer(Limits.DEFAULT);
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      server.hurry = HURRY;
      String head = "GET /v1/history?user=ann HTTP/1.1\r\nHost: x\r\n\r\n";
      client.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      server.queries.answered(query(server, 0).queryId(), "ann", large);
      await()
          .atMost(HistoryApi.READ_MS / 2, TimeUnit.MILLISECONDS)
          .until(() -> server.counters.httpAnswers.sums().containsKey("/v1/history 200"));
      assertThat(read(client)).isLessThan(large.length);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''            | ''                        | 200",
        "?user=ann     | ''                        | 200",
        "?user=bob     | ''                        | 403",
        "?user=bob     | ,'holdfast':{'history':'own'} | 403",
        "?user=bob     | ,'holdfast':{'history':'any'} | 200",
      })
  void whoseHistoryATokenOpens(String query, String claims, int status) throws Exception {
    AuthConfig.Jwt jwt =
        new AuthConfig.Jwt(new KeyPlace.Secrets(List.of(Jwts.SECRET)), null, null, 0);
    AuthConfig auth = new AuthConfig(jwt, List.of(), Origins.SAME_HOST);
    long exp = System.currentTimeMillis() / 1_000 + 60;
    String token = Jwts.hs256(Jwts.SECRET, Jwts.claims("ann", exp, claims));
    try (TestServer server = new TestServer(Limits.DEFAULT, auth)) {
      assertThat(get(server, "/v1/history" + query).get(5, TimeUnit.SECONDS).statusCode())
          .isEqualTo(401);
      CompletableFuture<HttpResponse<String>> asked =
          get(server, "/v1/history" + query, "Authorization", "Bearer " + token);
      if (status == 200) {
        Event.Query event = query(server, 0);
        String user = server.log.offers.get(0).users().get(0);
        assertThat(user).isEqualTo(query.endsWith("bob") ? "bob" : "ann");
        server.queries.answered(event.queryId(), user, page("e").utf8());
      }
      assertThat(asked.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(status);
      assertThat(server.log.offers).hasSize(status == 200 ? 1 : 0);
    }
  }

  private static long read(Socket client) {
    byte[] buffer = new byte[1 << 16];
    long total = 0;
    try {
      int read = client.getInputStream().read(buffer);
      while (read > 0) {
        total += read;
        read = client.getInputStream().read(buffer);
      }
    } catch (IOException e) {
      // The reset: what was not read is gone.
    }
    return total;
  }

  private static long answers(TestServer server) {
    return Arrays.stream(server.counters.toAnswer.counts()).sum();
  }

  private static RawJson page(String epoch) {
    HistoryPage page = new HistoryPage(epoch, 9, 3, 10);
    page.add(8, "m8", "bob", 1, RawJson.of("1"));
    return page.json(true);
  }

  /** The question of that number, once it was asked. */
  private static Event.Query query(TestServer server, int number) {
    await().until(() -> server.log.events(Event.Query.class).size() > number);
    return server.log.events(Event.Query.class).get(number);
  }

  private static void assertLater(CompletableFuture<HttpResponse<String>> asked, String code)
      throws Exception {
    HttpResponse<String> answer = asked.get(20, TimeUnit.SECONDS);
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    assertThat(answer.body()).contains("\"code\":\"" + code + '"');
  }

  private static CompletableFuture<HttpResponse<String>> get(
      TestServer server, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.sendAsync(request.build(), BodyHandlers.ofString());
  }
}
