package dev.holdfast.edge.socket;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.admission.Networks;
import dev.holdfast.edge.admission.Rate;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import dev.holdfast.edge.auth.Jwts;
import dev.holdfast.edge.auth.Origins;
import dev.holdfast.edge.session.Session;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.record.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limits as a client meets them. */
@Timeout(30)
class AdmissionServerTest {
  private static final Rate NONE_AFTER_3 = new Rate(0.001, 3);

  private TestServer server = new TestServer(Limits.DEFAULT);

  @AfterEach
  void stop() {
    server.close();
  }

  private void start(AdmissionConfig config) {
    server.close();
    server = new TestServer(Limits.DEFAULT, config, null);
  }

  @Test
  @DisplayName(
      "R-6.1: beyond the address's rate: 429, Retry-After, problem+json, connection closed")
  void refusesAnAddressWith429() throws Exception {
    start(config(Rate.OFF, NONE_AFTER_3, Rate.OFF, Networks.NONE, 0, Rate.OFF, 0));
    for (int i = 0; i < 3; i++) {
      RawClient.open(server.port()).close();
    }
    try (RawClient refused = RawClient.ask(server.port())) {
      assertThat(refused.status()).isEqualTo(429);
      assertThat(String.join("\n", refused.head()))
          .containsPattern("Retry-After: [1-9]")
          .contains("application/problem+json")
          .contains("Connection: close");
      byte[] body = refused.socket().getInputStream().readAllBytes();
      assertThat(new String(body, StandardCharsets.UTF_8))
          .contains("\"status\":429", "\"code\":\"rate_limited\"");
    }
    assertThat(server.counters.turnedAway()).containsEntry("ip_rate", 1L);
  }

  @Test
  void countsByTheAddressThatATrustedProxyForwards() throws Exception {
    start(config(Rate.OFF, NONE_AFTER_3, Rate.OFF, Networks.LOOPBACK, 0, Rate.OFF, 0));
    for (int i = 0; i < 20; i++) {
      try (RawClient client =
          RawClient.ask(server.port(), "X-Forwarded-For: 6.6.6.6, 192.0.2." + i)) {
        assertThat(client.status()).isEqualTo(101);
      }
    }
    String last = "";
    for (int i = 0; i < 4; i++) {
      try (RawClient client = RawClient.ask(server.port(), "X-Forwarded-For: 192.0.2.77")) {
        last += client.status() + " ";
      }
    }
    assertThat(last).isEqualTo("101 101 101 429 ");
  }

  @Test
  void doesNotBelieveAnybodyElse() throws Exception {
    start(config(Rate.OFF, NONE_AFTER_3, Rate.OFF, Networks.NONE, 0, Rate.OFF, 0));
    String all = "";
    for (int i = 0; i < 4; i++) {
      try (RawClient client = RawClient.ask(server.port(), "X-Forwarded-For: 192.0.2." + i)) {
        all += client.status() + " ";
      }
    }
    assertThat(all).isEqualTo("101 101 101 429 ");
  }

  @Test
  @DisplayName("R-6.1: beyond the node's rate: 503")
  void refusesForTheNodeWith503() throws Exception {
    start(config(NONE_AFTER_3, Rate.OFF, Rate.OFF, Networks.NONE, 0, Rate.OFF, 0));
    for (int i = 0; i < 3; i++) {
      RawClient.open(server.port()).close();
    }
    try (RawClient refused = RawClient.ask(server.port())) {
      assertThat(refused.status()).isEqualTo(503);
      assertThat(String.join("\n", refused.head())).containsPattern("Retry-After: [1-9]");
    }
    assertThat(server.counters.turnedAway()).containsEntry("node_rate", 1L);
  }

  @Test
  @DisplayName("R-6.7: beyond an address's connections: 429, until one of them is gone")
  void givesPlacesBack() throws Exception {
    start(config(Rate.OFF, Rate.OFF, Rate.OFF, Networks.NONE, 2, Rate.OFF, 0));
    RawClient first = RawClient.hello(server.port(), "a");
    try (RawClient second = RawClient.hello(server.port(), "b");
        RawClient third = RawClient.ask(server.port())) {
      second.text("ping");
      assertThat(second.next()).isEqualTo("pong");
      assertThat(third.status()).isEqualTo(429);
      first.close();
      await().until(() -> opensOne());
    }
    await().until(() -> server.admission.openSockets() == 0);
    assertThat(server.admission.addressesHolding()).isZero();
    assertThat(server.admission.awaitingHello()).isZero();
  }

  private boolean opensOne() throws IOException {
    try (RawClient client = RawClient.ask(server.port())) {
      return client.status() == 101;
    }
  }

  @Test
  @DisplayName("R-6.1: a user that comes too often is closed with 4005 and told when to come again")
  void closesAUserWith4005() throws Exception {
    start(config(Rate.OFF, Rate.OFF, NONE_AFTER_3, Networks.NONE, 0, Rate.OFF, 0));
    for (int i = 0; i < 3; i++) {
      RawClient.hello(server.port(), "often").close();
    }
    RawClient.hello(server.port(), "seldom").close();
    try (RawClient client = RawClient.open(server.port())) {
      client.text("{\"type\":\"hello\",\"clientId\":\"often\"}");
      assertThat(closeReason(client)).matches("4005 rate_limited retryAfterMs=\\d+");
    }
    assertThat(server.log.events(Event.Connect.class)).hasSize(4);
    assertThat(server.counters.turnedAway()).containsEntry("user_rate", 1L);
  }

  @Test
  @DisplayName("R-6.1: a user that a header's token names is refused with 429, before the upgrade")
  void refusesAUserOfAHeaderWith429() throws Exception {
    server.close();
    KeyPlace keys = new KeyPlace.Secrets(List.of(Jwts.SECRET));
    server =
        new TestServer(
            Limits.DEFAULT,
            new AuthConfig(new AuthConfig.Jwt(keys, null, null, 0), List.of(), Origins.SAME_HOST),
            config(Rate.OFF, Rate.OFF, NONE_AFTER_3, Networks.NONE, 1, Rate.OFF, 0),
            null);
    long exp = System.currentTimeMillis() / 1_000 + 60;
    String token = "Authorization: Bearer " + Jwts.hs256(Jwts.SECRET, Jwts.claims("ann", exp, ""));
    String all = "";
    for (int i = 0; i < 4; i++) {
      try (RawClient client = RawClient.ask(server.port(), token)) {
        all += client.status() + " ";
      }
      await().until(() -> server.admission.addressesHolding() == 0);
    }
    assertThat(all).isEqualTo("101 101 101 429 ");
    try (RawClient bad = RawClient.ask(server.port(), "Authorization: Bearer x")) {
      assertThat(bad.status()).isEqualTo(401);
      await("a refused token holds nothing").until(() -> server.admission.awaitingHello() == 0);
    }
  }

  @Test
  void refusesFramesInOrderAndThenCloses() throws Exception {
    start(config(Rate.OFF, Rate.OFF, Rate.OFF, Networks.NONE, 0, NONE_AFTER_3, 0));
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      for (String id : List.of("1", "2", "3", "4")) {
        client.text(send(id));
      }
      List<String> answers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        answers.add(client.next());
      }
      assertThat(answers)
          .anyMatch(a -> a.contains("\"sent\"") && a.contains("\"clientMsgId\":\"1\""))
          .anyMatch(a -> a.contains("\"sent\"") && a.contains("\"clientMsgId\":\"2\""))
          .anyMatch(
              a ->
                  a.contains("\"code\":\"rate_limited\"")
                      && a.contains("\"retryable\":true")
                      && a.contains("\"clientMsgId\":\"3\"")
                      && a.contains("\"retryAfterMs\":"))
          .anyMatch(
              a -> a.contains("\"code\":\"out_of_order\"") && a.contains("\"clientMsgId\":\"4\""));
      client.text("ping");
      client.text("ping");
      String next = client.next();
      while (next.contains("rate_limited")) {
        next = client.next();
      }
      assertThat(next).isEqualTo("close 4005");
    }
    assertThat(server.log.events(Event.Message.class)).hasSize(2);
    assertThat(server.counters.turnedAway()).containsEntry("frame_flood", 1L);
  }

  @Test
  @DisplayName(
      "D12: who writes to ever new users is told when to go on, and may write to the known")
  void newRecipientsAreLimited() throws Exception {
    start(config(Rate.OFF, Rate.OFF, Rate.OFF, Networks.NONE, 0, Rate.OFF, 0));
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      assertThat(sent(client, "1", "a", "b")).contains("\"sent\"");
      assertThat(sent(client, "2", "b", "c")).contains("\"sent\"");
      assertThat(sent(client, "3", "c", "d")).contains("rate_limited", "retryAfterMs", "\"3\"");
      assertThat(sent(client, "3", "a", "b", "c")).contains("\"sent\"");
    }
    assertThat(server.log.events(Event.Message.class)).hasSize(3);
    assertThat(server.counters.turnedAway()).containsEntry("new_recipients", 1L);
  }

  /** The answer to a send that ends the sync of a new connection first. */
  private static String sent(RawClient client, String id, String... users) throws IOException {
    client.text(
        "{\"type\":\"send\",\"clientMsgId\":\""
            + id
            + "\",\"to\":{\"users\":[\""
            + String.join("\",\"", users)
            + "\"]},\"payload\":1}");
    String next = client.next();
    while (next.contains("\"sync\"")) {
      next = client.next();
    }
    return next;
  }

  @Test
  void socketsThatAskForNothingLetOthersWait() throws Exception {
    start(config(Rate.OFF, Rate.OFF, Rate.OFF, Networks.NONE, 0, Rate.OFF, 0));
    List<Socket> silent = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      silent.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
    }
    await().until(() -> server.admission.openSockets() == 8);
    await().until(() -> server.counters.acceptPauses.sum() == 1);
    try (Socket ninth = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      ninth.getOutputStream().write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
      ninth.setSoTimeout(300);
      assertThatThrownBy(() -> ninth.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      assertThat(server.admission.openSockets()).isEqualTo(8);

      silent.get(0).close();

      ninth.setSoTimeout(10_000);
      assertThat(new String(ninth.getInputStream().readNBytes(12), US_ASCII))
          .isEqualTo("HTTP/1.1 200");
    }
    for (Socket socket : silent) {
      socket.close();
    }
    await().until(() -> server.admission.openSockets() == 0);
  }

  @Test
  void refusedHandshakesHoldNothing() throws Exception {
    start(config(Rate.OFF, Rate.OFF, Rate.OFF, Networks.NONE, 2, Rate.OFF, 0));
    for (int i = 0; i < 10; i++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        socket
            .getOutputStream()
            .write("GET /v1/ws HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] answer = socket.getInputStream().readAllBytes();
        assertThat(new String(answer, StandardCharsets.UTF_8)).startsWith("HTTP/1.1 426");
      }
      await().until(() -> server.admission.awaitingHello() == 0);
    }
  }

  @Test
  @DisplayName("R-6.7: bandwidth to one connection is capped; nothing is lost by it")
  void pacesWhatGoesOut() throws Exception {
    start(config(Rate.OFF, Rate.OFF, Rate.OFF, Networks.NONE, 0, Rate.OFF, 100_000));
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      Session session = session();
      byte[] frame = message(1);
      long from = System.nanoTime();
      for (int seq = 1; seq <= 20; seq++) {
        session.onMessages(seq, message(seq));
      }
      for (int seq = 1; seq <= 20; seq++) {
        assertThat(client.next()).contains("\"seq\":" + seq + ",");
      }
      double seconds = (System.nanoTime() - from) / 1e9;
      double least = 19.0 * frame.length / 100_000;
      assertThat(seconds).isBetween(least * 0.9, least * 3 + 1);
    }
  }

  private Session session() {
    Event.Connect connect = server.log.events(Event.Connect.class).get(0);
    return Objects.requireNonNull(server.sessions.get(connect.connId()));
  }

  private static byte[] message(long seq) {
    RawJson payload = RawJson.of("\"" + "x".repeat(5_000) + "\"");
    return ServerFrames.message(seq, "m", "bob", 1, false, payload);
  }

  private static String send(String id) {
    return "{\"type\":\"send\",\"clientMsgId\":\""
        + id
        + "\",\"to\":{\"user\":\"b\"},\"payload\":0}";
  }

  /** The next frame, a close, as code and reason. */
  private static String closeReason(RawClient client) throws IOException {
    byte[] head = client.socket().getInputStream().readNBytes(2);
    assertThat(head[0] & 0x0f).isEqualTo(RawClient.CLOSE);
    byte[] body = client.socket().getInputStream().readNBytes(head[1]);
    int code = ((body[0] & 0xff) << 8) | (body[1] & 0xff);
    return code + " " + new String(body, 2, body.length - 2, StandardCharsets.UTF_8);
  }

  private static AdmissionConfig config(
      Rate node,
      Rate ip,
      Rate user,
      Networks proxies,
      int connectionsIp,
      Rate frames,
      int bandwidth) {
    return new AdmissionConfig(
        node,
        ip,
        user,
        Rate.OFF,
        Networks.NONE,
        proxies,
        connectionsIp,
        0,
        0,
        8,
        0,
        3,
        frames,
        Rate.OFF,
        bandwidth);
  }
}
