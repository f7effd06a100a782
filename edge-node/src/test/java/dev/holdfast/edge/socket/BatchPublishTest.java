package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.edge.session.EventSink;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BatchPublishTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TestServer server = new TestServer(Limits.DEFAULT);
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  @DisplayName("messages keep their order and payloads; each has its own key, or the batch's")
  void keysAndOrder() throws Exception {
    String body =
        batch(
            "{\"idempotencyKey\":\"o-1\",\"to\":{\"user\":\"a\"},\"payload\":1.0}",
            "{\"to\":{\"users\":[\"b\",\"c\"]},\"payload\":{ \"x\" : 2 }}");
    JsonNode results = accepted(post(body, "Idempotency-Key", "job-7"));
    assertThat(results.path(0).path("msgId").asText()).isEqualTo(id("o-1"));
    assertThat(results.path(1).path("msgId").asText()).isEqualTo(id("job-7:1"));
    assertThat(server.log.events(Event.Message.class))
        .containsExactly(
            new Event.Message("backend", "", "o-1", RawJson.of("1.0")),
            new Event.Message("backend", "", "job-7:1", RawJson.of("{ \"x\" : 2 }")));
    assertThat(server.log.offers.get(1).users()).containsExactly("b", "c");
  }

  @Test
  @DisplayName("the same batch again is the same messages")
  void repeat() throws Exception {
    String body = batch(to("a"), to("b"));
    JsonNode first = accepted(post(body, "Idempotency-Key", "k"));
    JsonNode again = accepted(post(body, "Idempotency-Key", "k"));
    assertThat(again).isEqualTo(first);
    JsonNode unnamed = accepted(post(body));
    assertThat(unnamed.path(0)).isNotEqualTo(accepted(post(body)).path(0));
  }

  @Test
  @DisplayName("what is wrong with one message costs the others nothing")
  void oneWrong() throws Exception {
    String large = "\"" + "x".repeat(Limits.DEFAULT.payloadBytes()) + "\"";
    JsonNode results =
        accepted(
            post(
                batch(
                    to("a"),
                    to("not a name"),
                    "{\"to\":{\"user\":\"a\"},\"payload\":" + large + "}",
                    "{\"idempotencyKey\":\""
                        + "k".repeat(65)
                        + "\",\"to\":{\"user\":\"a\"},\"payload\":1}",
                    "{\"idempotencyKey\":\"k:0\",\"to\":{\"user\":\"a\"},\"payload\":1}",
                    "{\"channel\":\"n:c\",\"payload\":1}",
                    to("b")),
                "Idempotency-Key",
                "k"));
    assertThat(results).hasSize(7);
    assertThat(results.path(0).has("msgId")).isTrue();
    error(results.path(1), 400, "bad_frame", false);
    error(results.path(2), 413, "payload_too_large", false);
    error(results.path(3), 400, "bad_frame", false);
    error(results.path(4), 400, "bad_frame", false);
    error(results.path(5), 404, "no_such_channel", false);
    assertThat(results.path(6).has("msgId")).isTrue();
    assertThat(server.log.offers).hasSize(2);
  }

  @Test
  @DisplayName("what is no message, or has a key that is none, is refused by itself, in its place")
  void oneThatIsNoMessage() throws Exception {
    JsonNode results =
        accepted(
            post(
                "{\"messages\":[5,"
                    + "{\"to\":{\"user\":\"a\"},\"payload\":1,\"idempotencyKey\":7},"
                    + to("b")
                    + ",{\"channel\":\"n:ews\",\"payload\":1}"
                    + ",{\"to\":{\"user\":\"a\",\"users\":[\"b\"]},\"payload\":1}]}",
                "Idempotency-Key",
                "k"));
    for (int wrong : new int[] {0, 1, 4}) {
      error(results.path(wrong), 400, "bad_frame", false);
      assertThat(results.path(wrong).path("error").path("index").asInt(-1)).isEqualTo(wrong);
    }
    assertThat(results.path(0).path("error").path("detail").asText())
        .isEqualTo("a message must be a JSON object");
    assertThat(results.path(1).path("error").path("detail").asText())
        .isEqualTo("idempotencyKey must be a string");
    assertThat(results.path(2).path("msgId").asText()).isEqualTo(id("k:2"));
    error(results.path(3), 404, "no_such_channel", false);
    assertThat(results.path(3).path("error").path("channel").asText()).isEqualTo("n:ews");
    assertThat(server.log.offers).hasSize(1);
  }

  @Test
  @DisplayName("from the first that finds no room on none is tried, so none is overtaken")
  void full() throws Exception {
    server.log.holdOutcomes = true;
    server.log.refusesAfter = 2;
    CompletableFuture<HttpResponse<String>> answer =
        http.sendAsync(request(batch(to("a"), to("b"), to("c"), to("d"))), BodyHandlers.ofString());
    List<EventSink.Outcome> outcomes = outcomes(2);
    assertThat(answer).isNotDone();
    outcomes.get(0).done(true);
    outcomes.get(1).done(false);
    JsonNode results = accepted(answer.get());
    assertThat(results.path(0).has("msgId")).isTrue();
    error(results.path(1), 503, "not_stored", true);
    error(results.path(2), 503, "overloaded", true);
    error(results.path(3), 503, "overloaded", true);
    assertThat(server.log.offers).hasSize(2);
  }

  @Test
  @DisplayName("a batch of which nothing was accepted is not answered 202")
  void none() throws Exception {
    HttpResponse<String> wrong = post(batch(to("not a name"), to("")));
    problem(wrong, 400, "bad_frame");
    assertThat(JSON.readTree(wrong.body()).path("results")).hasSize(2);
    server.log.full = true;
    HttpResponse<String> busy = post(batch(to("a"), to("b")));
    problem(busy, 503, "overloaded");
    assertThat(busy.headers().firstValue("Retry-After")).isPresent();
  }

  @Test
  void aBatchIsBounded() throws Exception {
    String hundred =
        IntStream.range(0, 100).mapToObj(i -> to("u" + i)).collect(Collectors.joining(","));
    assertThat(accepted(post("{\"messages\":[" + hundred + "]}"))).hasSize(100);
    int before = server.log.offers.size();
    problem(post("{\"messages\":[" + hundred + "," + to("x") + "]}"), 400, "bad_frame");
    problem(post("{\"messages\":[]}"), 400, "bad_frame");
    problem(post("{\"messages\":{}}"), 400, "bad_frame");
    problem(post("{\"messages\":[1]}"), 400, "bad_frame");
    problem(post("{\"messages\":[" + to("a") + "],\"to\":{\"user\":\"b\"}}"), 400, "bad_frame");
    problem(post("{\"messages\":[" + to("a")), 400, "invalid_json");
    problem(post("{\"messages\":[{\"idempotencyKey\":1}]}"), 400, "bad_frame");
    problem(post("{\"messages\":[\"" + "x".repeat(1024 * 1024) + "\"]}"), 413, "payload_too_large");
    assertThat(server.log.offers).hasSize(before);
  }

  private List<EventSink.Outcome> outcomes(int count) throws InterruptedException {
    while (server.log.offers.size() < count) {
      Thread.onSpinWait();
    }
    return server.log.offers.stream().map(o -> Objects.requireNonNull(o.outcome())).toList();
  }

  private static String to(String user) {
    return "{\"to\":{\"user\":\"" + user + "\"},\"payload\":1}";
  }

  private static String batch(String... messages) {
    return "{\"messages\":[" + String.join(",", messages) + "]}";
  }

  private static String id(String key) {
    return MessageId.text(MessageId.hash("backend", "", key));
  }

  private static JsonNode accepted(HttpResponse<String> answer) throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    return JSON.readTree(answer.body()).path("results");
  }

  private static void error(JsonNode result, int status, String code, boolean retryable) {
    JsonNode error = result.path("error");
    assertThat(error.path("status").asInt()).as(result.toString()).isEqualTo(status);
    assertThat(error.path("code").asText()).isEqualTo(code);
    assertThat(error.path("detail").asText()).isNotEmpty();
    assertThat(error.path("retryable").asBoolean()).isEqualTo(retryable);
  }

  private static void problem(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(answer.body()).contains("\"code\":\"" + code + "\"");
  }

  private HttpResponse<String> post(String body, String... headers) throws Exception {
    return http.send(request(body, headers), BodyHandlers.ofString());
  }

  private HttpRequest request(String body, String... headers) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/messages"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    if (headers.length > 0) {
      builder.headers(headers);
    }
    return builder.build();
  }
}
