package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.edge.TestLimits;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a hostile client may do before the upgrade, and over HTTP. */
@Timeout(60)
class HostileRequestsTest {
  private static final String UPGRADE =
      "GET /v1/ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

  private final TestServer server = new TestServer(TestLimits.impatient());

  @AfterEach
  void othersAreServedAndNothingIsLeft() throws Exception {
    try {
      server.awaitQuiet();
      try (RawClient other = RawClient.hello(server.port(), "other")) {
        other.text("ping");
        assertThat(other.next()).isEqualTo("pong");
      }
    } finally {
      server.close();
    }
  }

  @Test
  void aHeadThatDoesNotEndIsGivenUp() throws Exception {
    for (String half : List.of("G", "GET /v1/ws HTTP/1.1\r\n", UPGRADE, UPGRADE + "X-A: b")) {
      try (RawClient client = RawClient.connect(server.port())) {
        client.raw(ascii(half));
        assertThat(client.ends()).as(half).isTrue();
      }
    }
  }

  @Test
  void aHeadInDribsIsGivenUp() throws Exception {
    try (RawClient client = RawClient.connect(server.port())) {
      boolean ended = false;
      for (int i = 0; i < 60 && !ended; i++) {
        try {
          client.raw(ascii(i == 0 ? UPGRADE : "X-" + i + ": x\r\n"));
        } catch (java.net.SocketException e) {
          ended = true;
        }
        Thread.sleep(50);
      }
      assertThat(ended).as("six time-outs long").isTrue();
    }
  }

  @Test
  void aBodyThatDoesNotEndIsGivenUp() throws Exception {
    try (RawClient client = RawClient.connect(server.port())) {
      client.raw(
          ascii(
              "POST /v1/messages HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                  + "Content-Length: 100\r\n\r\n{\"to\""));
      assertThat(client.ends()).isTrue();
    }
  }

  @Test
  void headerBombsAreRefusedAndTheirConnectionsClosed() throws Exception {
    StringBuilder many = new StringBuilder(UPGRADE);
    for (int i = 0; i < 5_000; i++) {
      many.append("X-").append(i).append(": x\r\n");
    }
    String large = UPGRADE + "X-Large: " + "x".repeat(200_000) + "\r\n";
    String name = UPGRADE + "x".repeat(200_000) + ": x\r\n";
    String path = "GET /" + "x".repeat(200_000) + " HTTP/1.1\r\nHost: h\r\n";
    String query = "GET /v1/ws?" + "a&".repeat(50_000) + " HTTP/1.1\r\nHost: h\r\n";
    for (String bomb : List.of(many.toString(), large, name, path, query)) {
      try (RawClient client = RawClient.connect(server.port())) {
        int status = sendAndRead(client, bomb + "\r\n");
        assertThat(status).as(bomb.substring(0, 30)).isBetween(400, 499);
        assertThat(client.ends()).isTrue();
      }
    }
  }

  @Test
  void anOfferOfCompressionIsNotTaken() throws Exception {
    try (RawClient client =
        RawClient.ask(
            server.port(),
            "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits")) {
      assertThat(client.status()).isEqualTo(101);
      assertThat(String.join("\n", client.head())).doesNotContainIgnoringCase("extensions");
      client.raw(RawClient.encode(0xc1, true, new byte[] {(byte) 0xca, 0x48, 0x01, 0x00}));
      assertThat(client.rest()).containsExactly("close 1002");
      assertThat(client.ends()).isTrue();
    }
  }

  @Test
  void brokenHandshakesGetNoSession() throws Exception {
    for (String[] change :
        new String[][] {
          {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", ""},
          {"Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 8"},
          {"Upgrade: websocket", "Upgrade: h2c"},
          {"Connection: Upgrade", "Connection: close"},
          {"GET /v1/ws", "POST /v1/ws"},
          {"GET /v1/ws HTTP/1.1", "nonsense"}
        }) {
      try (RawClient client = RawClient.connect(server.port())) {
        int status = sendAndRead(client, UPGRADE.replace(change[0], change[1]) + "\r\n");
        assertThat(status).as(change[1]).isNotEqualTo(101);
        client.socket().shutdownOutput();
        assertThat(client.ends()).as(change[1]).isTrue();
      }
    }
    assertThat(server.counters.connectionsOpened.sum()).isZero();
  }

  /** The status, or 400 when the server ends the connection instead, as it may. */
  private static int sendAndRead(RawClient client, String request) throws Exception {
    try {
      client.raw(ascii(request));
      client.readHead();
    } catch (java.net.SocketException e) {
      return 400;
    }
    return client.head().isEmpty() ? 400 : client.status();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
