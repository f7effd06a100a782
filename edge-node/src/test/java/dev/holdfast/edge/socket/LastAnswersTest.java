package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.session.EventSink;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** HTTP while the node drains, over real sockets. */
@Timeout(30)
class LastAnswersTest {
  private final HttpClient http = HttpClient.newHttpClient();
  private final TestServer server = new TestServer(Limits.DEFAULT);

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(request(path).GET().build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
  }

  private CompletableFuture<HttpResponse<String>> publish() {
    return http.sendAsync(
        request("/v1/messages")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"to\":{\"user\":\"b\"},\"payload\":1}"))
            .build(),
        BodyHandlers.ofString());
  }

  private EventSink.Outcome outcome() throws InterruptedException {
    while (server.log.offers.isEmpty()) {
      Thread.sleep(5);
    }
    return Objects.requireNonNull(server.log.offers.get(0).outcome());
  }

  private static boolean closes(HttpResponse<String> answer) {
    return answer.headers().firstValue("Connection").orElse("").equals("close");
  }

  @Test
  void answersCloseTheConnectionWhileDraining() throws IOException, InterruptedException {
    assertThat(closes(get("/healthz"))).isFalse();

    server.draining = true;

    HttpResponse<String> health = get("/healthz");
    assertThat(health.statusCode()).isEqualTo(200);
    assertThat(closes(health)).isTrue();
    HttpResponse<String> ready = get("/readyz");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(closes(ready)).isTrue();
  }

  @Test
  void aPublishThatWaitsWhenTheDrainBeginsIsAnsweredAndCloses() throws Exception {
    server.log.holdOutcomes = true;
    CompletableFuture<HttpResponse<String>> answer = publish();
    EventSink.Outcome outcome = outcome();

    server.draining = true;
    outcome.done(true);

    assertThat(answer.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(202);
    assertThat(closes(answer.get())).isTrue();
  }

  @Test
  void theServerWaitsForTheLastAnswer() throws Exception {
    server.log.holdOutcomes = true;
    CompletableFuture<HttpResponse<String>> answer = publish();
    EventSink.Outcome outcome = outcome();

    Thread closing = new Thread(server::close);
    closing.start();
    closing.join(100);
    assertThat(closing.isAlive()).isTrue();
    outcome.done(true);

    assertThat(answer.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(202);
    closing.join(5_000);
    assertThat(closing.isAlive()).isFalse();
  }

  @Test
  void anUpgradedSocketIsNotWaitedFor() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      long startMs = TestServer.nowMs();
      server.close();
      assertThat(TestServer.nowMs() - startMs).isLessThan(900);
      assertThat(client.rest()).isNotNull();
    }
  }

  @Test
  void anUpgradeWhileDrainingIsRefusedAndCloses() throws IOException {
    server.draining = true;
    try (RawClient client = RawClient.ask(server.port())) {
      assertThat(client.status()).isEqualTo(503);
      assertThat(String.join("\n", client.head()))
          .contains("Retry-After")
          .contains("Connection: close");
    }
  }
}
