package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.edge.TestLimits;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HttpApiTest {
  private static final String GOOD = "{\"to\":{\"user\":\"bob\"},\"payload\":{\"a\":1.0}}";

  private final TestServer server = new TestServer(Limits.DEFAULT);
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void tellsHealthAndReadiness() throws Exception {
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
    server.ready = false;
    HttpResponse<String> answer = get("/readyz");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    server.ready = true;
    server.draining = true;
    assertThat(get("/readyz").statusCode()).isEqualTo(503);
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
  }

  @Test
  void publishesOncePerKeyAndSaysWhichMessage() throws Exception {
    HttpResponse<String> answer = post(GOOD, "Idempotency-Key", "k1");
    assertThat(answer.statusCode()).isEqualTo(202);
    String id = MessageId.text(MessageId.hash("backend", "", "k1"));
    assertThat(answer.body()).isEqualTo("{\"msgId\":\"" + id + "\"}");
    FakeLog.Offer offer = server.log.offers.get(0);
    assertThat(offer.users()).containsExactly("bob");
    assertThat(offer.event())
        .isEqualTo(new Event.Message("backend", "", "k1", RawJson.of("{\"a\":1.0}")));
  }

  @Test
  void aChannelIsPartOfWhatTheKeyNames() throws Exception {
    String lobby =
        post("{\"channel\":\"rooms:lobby\",\"payload\":1}", "Idempotency-Key", "k").body();
    String attic =
        post("{\"channel\":\"rooms:attic\",\"payload\":1}", "Idempotency-Key", "k").body();
    String again =
        post("{\"channel\":\"rooms:lobby\",\"payload\":1}", "Idempotency-Key", "k").body();
    String mail = post(GOOD, "Idempotency-Key", "k").body();
    assertThat(lobby).isEqualTo(again).isNotEqualTo(attic).isNotEqualTo(mail);
    assertThat(server.channels.posted.get(0).msgId()).isIn((Object[]) lobby.split("\""));
  }

  @Test
  void whoSendsTooMuchHearsSo() throws Exception {
    String body = "x".repeat(4_000_000);
    for (int i = 0; i < 50; i++) {
      HttpResponse<String> answer = post(body);
      assertThat(answer.statusCode()).isEqualTo(413);
    }
    server.awaitQuiet();
  }

  @Test
  void takesASenderWhileAuthenticationIsOff() throws Exception {
    String body = "{\"from\":\"ann\",\"to\":{\"users\":[\"a\",\"b\",\"a\"]},\"payload\":0}";
    assertThat(post(body).statusCode()).isEqualTo(202);
    assertThat(server.log.offers.get(0).users()).containsExactly("a", "b");
    assertThat(server.log.events(Event.Message.class).get(0).from()).isEqualTo("ann");
  }

  @Test
  void waitsForKafka() throws Exception {
    server.log.holdOutcomes = true;
    var answer = http.sendAsync(request(GOOD), BodyHandlers.ofString());
    long end = TestServer.nowMs() + 5_000;
    while (server.log.offers.isEmpty() && TestServer.nowMs() < end) {
      Thread.sleep(5);
    }
    Thread.sleep(100);
    assertThat(answer).isNotDone();
    var outcome = server.log.offers.get(0).outcome();
    assertThat(outcome).isNotNull();
    if (outcome != null) {
      outcome.done(false);
    }
    assertThat(answer.get().statusCode()).isEqualTo(503);
    assertThat(answer.get().body()).contains("not_stored");
  }

  @Test
  void refusesWhatIsWrongWithAProblem() throws Exception {
    problem(post("x"), 400, "invalid_json");
    problem(post("{\"payload\":1}"), 400, "bad_frame");
    problem(post("{\"to\":{\"user\":\"b b\"},\"payload\":1}"), 400, "bad_frame");
    problem(post("{\"channel\":\"n:c\",\"payload\":1}"), 404, "no_such_channel");
    problem(post("{\"payload\":" + "[".repeat(90_000)), 400, "invalid_json");
    problem(post(GOOD, "Idempotency-Key", "x".repeat(65)), 400, "bad_frame");
    problem(post(GOOD, "Content-Type", "text/plain"), 415, "unsupported_media_type");
    problem(get("/v1/messages"), 405, "method_not_allowed");
    problem(get("/nothing"), 404, "not_found");
    problem(get("/v1/ws"), 426, "upgrade_required");
    String large = "\"" + "x".repeat(Limits.DEFAULT.payloadBytes()) + "\"";
    problem(post("{\"to\":{\"user\":\"b\"},\"payload\":" + large + "}"), 413, "payload_too_large");
    problem(post("x".repeat(Limits.DEFAULT.frameBytes() + 1)), 413, "payload_too_large");
    assertThat(server.log.offers).isEmpty();
  }

  @Test
  void boundsABodyOfUnknownLength() throws Exception {
    byte[] body =
        "x"
            .repeat(Limits.DEFAULT.frameBytes() + 1)
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    HttpRequest chunked =
        HttpRequest.newBuilder(uri("/v1/messages"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(body)))
            .build();
    problem(http.send(chunked, BodyHandlers.ofString()), 413, "payload_too_large");
  }

  @Test
  void saysWhenToTryAgain() throws Exception {
    server.log.full = true;
    HttpResponse<String> answer = post(GOOD);
    problem(answer, 503, "overloaded");
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
  }

  @Test
  void dropsABodyThatDoesNotCome() throws Exception {
    try (TestServer small = new TestServer(TestLimits.http(1, 300));
        Socket slow = slowPost(small.port())) {
      assertThat(slow.getInputStream().read()).isEqualTo(-1);
      HttpResponse<String> next = http.send(request(small.port()), BodyHandlers.ofString());
      assertThat(next.statusCode()).isEqualTo(202);
      try (Socket notFound = slowPost(small.port(), "/nothing")) {
        notFound.getInputStream().readAllBytes();
      }
    }
  }

  @Test
  void aQuietWebSocketOutlivesTheBodysTimeOut() throws Exception {
    try (TestServer small = new TestServer(TestLimits.http(1, 100));
        RawClient client = RawClient.hello(small.port(), "c")) {
      Thread.sleep(400);
      client.text("ping");
      assertThat(client.next()).isEqualTo("pong");
    }
  }

  @Test
  void boundsThePublishesUnderWay() throws Exception {
    try (TestServer small = new TestServer(TestLimits.http(1, 60_000))) {
      small.log.holdOutcomes = true;
      var first = http.sendAsync(request(small.port()), BodyHandlers.ofString());
      while (small.log.offers.isEmpty()) {
        Thread.sleep(5);
      }
      problem(http.send(request(small.port()), BodyHandlers.ofString()), 503, "overloaded");
      java.util.Objects.requireNonNull(small.log.offers.get(0).outcome()).done(true);
      assertThat(first.get().statusCode()).isEqualTo(202);
      small.log.holdOutcomes = false;
      Thread.sleep(50);
      assertThat(http.send(request(small.port()), BodyHandlers.ofString()).statusCode())
          .isEqualTo(202);
    }
  }

  @Test
  void refusesABodyThatIsNotUtf8AndAKeyThatIsNotAscii() throws Exception {
    byte[] body = GOOD.replace("1.0", "\"?\"").getBytes(StandardCharsets.US_ASCII);
    body[GOOD.indexOf("1.0") + 1] = (byte) 0xc3;
    HttpRequest broken =
        HttpRequest.newBuilder(uri("/v1/messages")).POST(BodyPublishers.ofByteArray(body)).build();
    problem(http.send(broken, BodyHandlers.ofString()), 400, "invalid_json");
    problem(rawPost("Idempotency-Key: k\u00e9"), 400);
    problem(rawPost("Idempotency-Key: a\tb"), 400);
    assertThat(server.log.offers).isEmpty();
  }

  private static void problem(String answer, int status) {
    assertThat(answer).startsWith("HTTP/1.1 " + status).contains("\"bad_frame\"");
  }

  private String rawPost(String header) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      String request =
          "POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
              + header
              + "\r\nContent-Length: "
              + GOOD.length()
              + "\r\n\r\n"
              + GOOD;
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      byte[] answer = socket.getInputStream().readAllBytes();
      return new String(answer, StandardCharsets.ISO_8859_1);
    }
  }

  private static Socket slowPost(int port) throws Exception {
    return slowPost(port, "/v1/messages");
  }

  /** Promises a body and sends one byte of it. */
  private static Socket slowPost(int port, String path) throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(10_000);
    String head = "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{";
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static HttpRequest request(int port) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/messages"))
        .POST(BodyPublishers.ofString(GOOD))
        .build();
  }

  private static void problem(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(answer.body()).contains("\"status\":" + status, "\"code\":\"" + code + "\"");
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String body, String... headers) throws Exception {
    return http.send(request(body, headers), BodyHandlers.ofString());
  }

  private HttpRequest request(String body, String... headers) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(uri("/v1/messages"))
            .header("Content-Type", "application/json; charset=utf-8")
            .POST(BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      builder.setHeader(headers[i], headers[i + 1]);
    }
    return builder.build();
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }
}
