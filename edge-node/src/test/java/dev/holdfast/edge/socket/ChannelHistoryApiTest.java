package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Limits;
import dev.holdfast.edge.FakeChannels;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.session.Channels.PastLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ChannelHistoryApiTest {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final String LOBBY = "/v1/channels/rooms:lobby/history";

  /** More than a socket and its far side take by themselves. */
  private static final List<byte[]> LARGE =
      Collections.nCopies(
          200, ("\"" + "x".repeat(60_000) + "\"").getBytes(StandardCharsets.US_ASCII));

  @ParameterizedTest
  @CsvSource({
    "rooms:lobby, rooms:lobby",
    "rooms:a%20b, rooms:a b",
    "rooms%3Aa, rooms:a",
    "rooms:a%2Fb, rooms:a/b",
    "rooms:a%2fb, rooms:a/b",
    "rooms:a/b, rooms:a/b",
    "rooms:a%252Fb, rooms:a%2Fb",
    "rooms:a%252fb, rooms:a%2fb",
    "rooms:50%25, rooms:50%",
    "rooms:a+b, rooms:a+b",
    "rooms:caf%C3%A9, rooms:café",
    "rooms:history, rooms:history",
  })
  @DisplayName("a name is decoded once")
  void decodedOnce(String path, String name) throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      HttpResponse<String> answer = get(server, "/v1/channels/" + path + "/history");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("\"channel\":\"" + name + "\"");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/channels/rooms:%ff/history",
        "/v1/channels/rooms:a%C3/history",
        "/v1/channels/rooms:%C0%AF/history",
        "/v1/channels/rooms:lobby/history?after=%ff",
        "/v1/presence/%ff",
      })
  @DisplayName("what is not UTF-8 when it is decoded is a 400 that says so")
  void badEncoding(String path) throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT);
        RawClient client = RawClient.connect(server.port())) {
      client.raw(
          ("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      client.readHead();
      assertThat(client.status()).isEqualTo(400);
      assertThat(client.head()).contains("Content-Type: application/problem+json");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"rooms:%zz/history", "rooms:a%2/history", "rooms:lobby/history?after=%zz"})
  @DisplayName("what is no percent-encoding at all does not pass the HTTP layer")
  void noEncoding(String path) throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT);
        RawClient client = RawClient.connect(server.port())) {
      client.raw(
          ("GET /v1/channels/" + path + " HTTP/1.1\r\nHost: x\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      client.readHead();
      assertThat(client.status()).isEqualTo(400);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/channels/rooms:lobby",
        "/v1/channels//history",
        "/v1/channels/history",
        "/v1/channels",
        "/v1/channels/rooms:lobby/history/",
        "/v1/%63hannels/rooms:lobby/history",
      })
  @DisplayName("another path is a 404")
  void otherPaths(String path) throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      HttpResponse<String> answer = get(server, path);
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).contains("\"code\":\"not_found\"");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rooms", "rooms:", "no:x", "rooms:a%00b", "rooms:a%0Ab", ":x"})
  @DisplayName("a name that no channel has is a 404 that says so")
  void noSuchChannel(String name) throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      HttpResponse<String> answer = get(server, "/v1/channels/" + name + "/history");
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).contains("\"code\":\"no_such_channel\"");
    }
  }

  @Test
  @DisplayName("a request that names the host as well is understood")
  void absoluteForm() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT);
        RawClient client = RawClient.connect(server.port())) {
      client.raw(
          ("GET http://x" + LOBBY + " HTTP/1.1\r\nHost: x\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      client.readHead();
      assertThat(client.status()).isEqualTo(200);
    }
  }

  @Test
  @DisplayName(
      "a page is the events, where it ends, and whether there is more; in pieces or in one")
  void page() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      server.channels.pastEvents = LARGE.subList(0, 20);
      HttpResponse<String> answer = get(server, LOBBY + "?after=" + FakeChannels.POSITION);
      String event = new String(LARGE.get(0), StandardCharsets.US_ASCII);
      assertThat(answer.body())
          .isEqualTo(
              "{\"events\":["
                  + String.join(",", Collections.nCopies(20, event))
                  + "],\"position\":\""
                  + FakeChannels.POSITION
                  + "\",\"more\":true,\"lost\":\"gap\"}");
      assertThat(answer.headers().firstValueAsLong("Content-Length"))
          .hasValue(answer.body().length());
    }
  }

  @Test
  @DisplayName("an answer that is not read keeps its place, and ends; then there is room again")
  void unread() throws Exception {
    FakeChannels channels = new FakeChannels();
    channels.past = new PastLimits(1_000, 12_000_000, 70_000, 2);
    channels.pastEvents = LARGE;
    try (TestServer server = new TestServer(Limits.DEFAULT, channels);
        Socket first = ask(server)) {
      try (Socket second = ask(server)) {
        HttpResponse<String> third = get(server, LOBBY);
        assertThat(third.statusCode()).isEqualTo(503);
        assertThat(third.body()).contains("\"code\":\"overloaded\"");
        assertThat(third.headers().firstValue("Retry-After")).isPresent();
        channels.pastEvents = List.of();
        assertThat(second.isClosed()).isFalse();
      }
      await().untilAsserted(() -> assertThat(get(server, LOBBY).statusCode()).isEqualTo(200));
      assertThat(first.isClosed()).isFalse();
    }
  }

  @Test
  @DisplayName("who does not read his answer within its time loses the connection")
  void neverRead() throws Exception {
    FakeChannels channels = new FakeChannels();
    channels.past = new PastLimits(1_000, 12_000_000, 70_000, 1);
    channels.pastEvents = LARGE;
    try (TestServer server = new TestServer(Limits.DEFAULT, channels)) {
      server.hurry = 200;
      try (Socket stalled = ask(server)) {
        channels.pastEvents = List.of();
        await().untilAsserted(() -> assertThat(get(server, LOBBY).statusCode()).isEqualTo(200));
        assertThat(ended(stalled)).isLessThan(12_000_000);
      }
    }
  }

  @Test
  @DisplayName("answers take no more than their share of the heap, each as if it were the largest")
  void share() {
    PastLimits limits = new PastLimits(1_000, 1_048_576, 266_240, 200);
    assertThat(limits.most(1)).isEqualTo(266_240);
    assertThat(limits.most(4)).isEqualTo(4 * 266_240);
    assertThat(limits.most(1_000)).isEqualTo(1_048_576 + 266_240);
    AnswerRoom room = new AnswerRoom(200, 3_000_000);
    AnswerRoom.Place one = Objects.requireNonNull(room.take(limits.most(1_000)));
    AnswerRoom.Place two = Objects.requireNonNull(room.take(limits.most(1_000)));
    assertThat(room.take(limits.most(1_000))).isNull();
    two.shrink(1_000);
    AnswerRoom.Place three = Objects.requireNonNull(room.take(limits.most(1_000)));
    one.close();
    one.close();
    one.shrink(1);
    assertThat(room.used()).isEqualTo(limits.most(1_000) + 1_000);
    two.close();
    three.close();
    assertThat(room.used()).isZero();
  }

  @Test
  @DisplayName("one address reads no faster than --history-rate, whatever the channel")
  void rate() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT, AdmissionConfig.DEFAULT, null)) {
      HttpResponse<String> answer = get(server, LOBBY);
      int read = 0;
      while (answer.statusCode() == 200 && read < 60) {
        read++;
        answer = get(server, "/v1/channels/rooms:r" + read + "/history");
      }
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(answer.body()).contains("\"code\":\"rate_limited\"");
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(read).isGreaterThanOrEqualTo(20);
    }
  }

  /** Asks and does not read. */
  private static Socket ask(TestServer server) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(20_000);
    socket
        .getOutputStream()
        .write(
            ("GET " + LOBBY + "?limit=1000 HTTP/1.1\r\nHost: x\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    assertThat(socket.getInputStream().readNBytes(15))
        .isEqualTo("HTTP/1.1 200 OK".getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Bytes until the server ended the connection. */
  private static int ended(Socket socket) {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (InputStream in = socket.getInputStream()) {
      in.transferTo(read);
    } catch (IOException e) {
      return read.size(); // a reset
    }
    return read.size();
  }

  private static HttpResponse<String> get(TestServer server, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
    return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }
}
