package dev.holdfast.edge.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdminServerTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final AtomicBoolean ready = new AtomicBoolean(true);
  private final AtomicInteger drains = new AtomicInteger();
  private final AdminServer server =
      new AdminServer("127.0.0.1", 0)
          .readiness(ready::get)
          .drain(drains::incrementAndGet)
          .page("/more", "text/plain", () -> "more".getBytes(StandardCharsets.US_ASCII))
          .start();

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> ask(String method, String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void livesAndTellsWhetherItIsReady() throws IOException, InterruptedException {
    assertThat(ask("GET", "/healthz").statusCode()).isEqualTo(200);
    assertThat(ask("GET", "/readyz").statusCode()).isEqualTo(200);
    ready.set(false);
    assertThat(ask("GET", "/readyz").statusCode()).isEqualTo(503);
    assertThat(ask("HEAD", "/readyz").statusCode()).isEqualTo(503);
    assertThat(ask("GET", "/healthz").statusCode()).isEqualTo(200);
  }

  @Test
  void drainsOnPostAlone() throws IOException, InterruptedException {
    HttpResponse<String> get = ask("GET", "/admin/drain");
    assertThat(get.statusCode()).isEqualTo(405);
    assertThat(get.headers().firstValue("Allow")).contains("POST");
    assertThat(drains).hasValue(0);

    HttpResponse<String> post = ask("POST", "/admin/drain");
    assertThat(post.statusCode()).isEqualTo(202);
    assertThat(post.body()).contains("draining");
    assertThat(drains).hasValue(1);
    assertThat(ask("POST", "/admin/drain").statusCode()).isEqualTo(202);
  }

  @Test
  void aWebPageCannotDrain() throws IOException, InterruptedException {
    assertThat(ask("POST", "/admin/drain", "Origin", "https://example.org").statusCode())
        .isEqualTo(403);
    assertThat(drains).hasValue(0);
  }

  @Test
  void nothingElseIsThere() throws IOException, InterruptedException {
    assertThat(ask("GET", "/more").body()).isEqualTo("more");
    assertThat(ask("GET", "/").statusCode()).isEqualTo(404);
    assertThat(ask("POST", "/admin/drain/").statusCode()).isEqualTo(404);
    assertThat(ask("GET", "/healthzz").statusCode()).isEqualTo(404);
  }

  @Test
  void aTakenPortIsToldWithTheOption() {
    assertThatThrownBy(() -> new AdminServer("127.0.0.1", server.port()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("--admin-port");
  }
}
