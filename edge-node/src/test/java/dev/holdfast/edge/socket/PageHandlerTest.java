package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.page.Pages;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pages that somebody gives to a server: beside its own paths, never instead of them. */
@Timeout(30)
class PageHandlerTest {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private TestServer server;

  @BeforeEach
  void start() {
    server = new TestServer(Limits.DEFAULT);
    server.pages = PageHandlerTest::echo;
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static Pages.@Nullable Answer echo(Pages.Request request) {
    if (request.path().equals("/none")) {
      return null;
    }
    if (request.path().equals("/broken")) {
      throw new IllegalStateException("broken on purpose");
    }
    String text =
        String.join(
            " ",
            request.method(),
            request.path(),
            request.header("x-some"),
            request.peer().getHostAddress(),
            new String(request.body(), StandardCharsets.UTF_8));
    return new Pages.Answer(
        201,
        Map.of("Content-Type", "text/plain", "X-Out", "y"),
        text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  @DisplayName("a request arrives whole and its answer leaves whole")
  void echoes() throws Exception {
    HttpResponse<String> get = send("GET", "/some%20page?q=1", "");
    assertThat(get.statusCode()).isEqualTo(201);
    assertThat(get.body()).isEqualTo("GET /some page v 127.0.0.1 ");
    assertThat(get.headers().firstValue("X-Out")).contains("y");
    assertThat(send("POST", "/x", "{1}").body()).isEqualTo("POST /x v 127.0.0.1 {1}");
    HttpResponse<String> head = send("HEAD", "/x", "");
    assertThat(head.statusCode()).isEqualTo(201);
    assertThat(head.body()).isEmpty();
    assertThat(head.headers().firstValue("Content-Length")).contains("20");
  }

  @Test
  @DisplayName("the edge's own paths stay its own; nothing is a 404, a fault a 500, too much a 413")
  void limits() throws Exception {
    assertThat(send("GET", "/healthz", "").statusCode()).isEqualTo(200);
    assertThat(send("GET", "/none", "").statusCode()).isEqualTo(404);
    assertThat(send("GET", "/broken", "").statusCode()).isEqualTo(500);
    assertThat(send("POST", "/x", "x".repeat(Pages.MOST_BODY_BYTES)).statusCode()).isEqualTo(201);
    assertThat(send("POST", "/x", "x".repeat(Pages.MOST_BODY_BYTES + 1)).statusCode())
        .isEqualTo(413);
  }

  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .header("X-Some", "v")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }
}
