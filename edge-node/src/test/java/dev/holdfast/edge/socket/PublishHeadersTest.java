package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the headers of a publish may say. */
@Timeout(30)
class PublishHeadersTest {
  private static final String GOOD = "{\"to\":{\"user\":\"bob\"},\"payload\":1}";

  private final TestServer server = new TestServer(Limits.DEFAULT);
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "APPLICATION/JSON;charset=UTF-8",
        "application/json; charset=\"utf-8\"",
        "application/json; charset=utf8",
        "application/vnd.example+json; version=1",
      })
  void jsonInUtf8IsTaken(String type) throws Exception {
    assertThat(post(GOOD, "Content-Type", type).statusCode()).isEqualTo(202);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain",
        "application/json; charset=iso-8859-1",
        "application/json; version=1; Charset=\"UTF-16\"",
        "application/json; charset=",
      })
  void anotherTypeOrCharsetIsNot(String type) throws Exception {
    refused(post(GOOD, "Content-Type", type), 415, "unsupported_media_type");
  }

  @Test
  @DisplayName("a body without a Content-Type is taken for JSON")
  void noType() throws Exception {
    assertThat(post(GOOD).statusCode()).isEqualTo(202);
  }

  @Test
  @DisplayName("a body that says it is compressed is refused, with what would do")
  void compressed() throws Exception {
    HttpResponse<String> answer = post(GOOD, "Content-Encoding", "gzip");
    refused(answer, 415, "unsupported_media_type");
    assertThat(answer.headers().firstValue("Accept-Encoding")).contains("identity");
    refused(post(GOOD, "Content-Encoding", "identity, br"), 415, "unsupported_media_type");
    assertThat(post(GOOD, "Content-Encoding", "Identity").statusCode()).isEqualTo(202);
  }

  @Test
  @DisplayName("two different keys are refused, the same one twice is one")
  void keys() throws Exception {
    String key = "Idempotency-Key";
    HttpResponse<String> answer = post(GOOD, key, "a", key, "b");
    refused(answer, 400, "bad_frame");
    assertThat(answer.body()).contains("Idempotency-Key must come once");
    HttpResponse<String> one = post(GOOD, key, "a");
    assertThat(one.statusCode()).isEqualTo(202);
    assertThat(post(GOOD, key, "a", key, "a").body()).isEqualTo(one.body());
  }

  @Test
  @DisplayName("a message for a channel is refused with the channel's name")
  void channel() throws Exception {
    HttpResponse<String> answer = post("{\"channel\":\"news:x\",\"payload\":1}");
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).contains("\"code\":\"forbidden\"", "\"channel\":\"news:x\"");
  }

  private void refused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(answer.body()).contains("\"code\":\"" + code + "\"");
    assertThat(server.log.offers).isEmpty();
  }

  private HttpResponse<String> post(String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/messages"))
            .POST(BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }
}
