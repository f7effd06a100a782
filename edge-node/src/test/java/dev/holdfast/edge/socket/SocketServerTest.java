package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.edge.TestLimits;
import dev.holdfast.edge.session.Session;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.record.Event;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SocketServerTest {
  private TestServer server = new TestServer(Limits.DEFAULT);

  @BeforeEach
  void start() {
    server.close();
    server = new TestServer(Limits.DEFAULT);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void echoesOurSubprotocolServesNoneAndRefusesOthers() throws IOException {
    try (RawClient ours =
            RawClient.ask(
                server.port(), "Sec-WebSocket-Protocol: x", "Sec-WebSocket-Protocol: holdfast.v1");
        RawClient none = RawClient.ask(server.port());
        RawClient other = RawClient.ask(server.port(), "Sec-WebSocket-Protocol: mqtt, stomp")) {
      assertThat(ours.status()).isEqualTo(101);
      assertThat(ours.head()).contains("Sec-WebSocket-Protocol: holdfast.v1");
      assertThat(none.status()).isEqualTo(101);
      assertThat(String.join("\n", none.head())).doesNotContain("Sec-WebSocket-Protocol");
      assertThat(other.status()).isEqualTo(400);
    }
  }

  @Test
  void refusesUpgradesWhileDrainingWithRetryAfter() throws IOException {
    server.draining = true;
    try (RawClient client = RawClient.ask(server.port())) {
      assertThat(client.status()).isEqualTo(503);
      assertThat(String.join("\n", client.head())).contains("Retry-After");
    }
  }

  @Test
  void answersPingBeforeAndAfterHello() throws IOException {
    try (RawClient client = RawClient.open(server.port())) {
      client.text("ping");
      assertThat(client.next()).isEqualTo("pong");
      client.text("{\"type\":\"hello\",\"clientId\":\"c\",\"lastSeq\":7}");
      assertThat(client.next()).contains("\"type\":\"welcome\"");
      client.text("ping");
      client.text("{\"type\":\"ping\",\"ts\":12.50}");
      assertThat(client.next()).isEqualTo("pong");
      assertThat(client.next()).isEqualTo("{\"type\":\"pong\",\"ts\":12.50,\"seq\":7}");
    }
  }

  @Test
  void answersProtocolPing() throws IOException {
    try (RawClient client = RawClient.open(server.port())) {
      client.frame(true, RawClient.PING, "x".getBytes(StandardCharsets.US_ASCII));
      assertThat(client.next()).isEqualTo("opcode 10 x");
    }
  }

  @Test
  void takesAFrameInManyFragments() throws IOException {
    try (RawClient client = RawClient.open(server.port())) {
      byte[] hello = "{\"type\":\"hello\",\"clientId\":\"c\"}".getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < hello.length; i++) {
        client.frame(i == hello.length - 1, i == 0 ? RawClient.TEXT : 0, new byte[] {hello[i]});
      }
      assertThat(client.next()).contains("\"type\":\"welcome\"");
    }
  }

  @Test
  void takesTheLargestFrame() throws IOException {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      String start = "{\"type\":\"ping\",\"x\":\"";
      String end = "\"}";
      int fill = Limits.DEFAULT.frameBytes() - start.length() - end.length();
      client.text(start + "x".repeat(fill) + end);
      assertThat(client.next()).contains("\"pong\"");
    }
  }

  @Test
  void closes1009OnAFrameTooLarge() throws IOException {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.text("x".repeat(Limits.DEFAULT.frameBytes() + 1));
      assertThat(client.rest()).containsExactly("close 1009");
    }
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.text("x".repeat(3_000_000));
      assertThat(client.rest()).containsExactly("close 1009");
    }
  }

  @Test
  void closes1009OnFragmentsThatGrowTooLarge() throws IOException {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      byte[] part = "x".repeat(10_000).getBytes(StandardCharsets.US_ASCII);
      client.frame(false, RawClient.TEXT, part);
      for (int i = 0; i < 30; i++) {
        client.frame(false, 0, part);
      }
      assertThat(client.rest()).containsExactly("close 1009");
    }
  }

  @Test
  void closes1003OnBinary1007OnBadUtf8And1002OnBadFraming() throws IOException {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.frame(true, RawClient.BINARY, new byte[] {1});
      assertThat(client.rest()).containsExactly("close 1003");
    }
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.frame(true, RawClient.TEXT, new byte[] {'"', (byte) 0xc3, (byte) 0x28, '"'});
      assertThat(client.rest()).containsExactly("close 1007");
    }
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.frame(true, 0, new byte[] {'x'});
      assertThat(client.rest()).containsExactly("close 1002");
    }
  }

  @Test
  void answersBadJsonWithAnErrorThenCloses4400() throws IOException {
    String deep = "[".repeat(90_000);
    for (String bad : List.of("", "x", "[]", "{\"type\":\"ack\"", "{\"a\":" + deep)) {
      try (RawClient client = RawClient.open(server.port())) {
        client.text(bad);
        assertThat(client.next()).contains("\"invalid_json\"");
        assertThat(client.next()).isEqualTo("close 4400");
      }
    }
  }

  @Test
  void answersAMissingAndASecondHelloWithAnErrorThenCloses4400() throws IOException {
    for (String early :
        List.of(
            "{\"type\":\"ack\",\"seq\":0}",
            "{\"type\":\"ping\"}",
            "{\"type\":\"watch\",\"users\":[\"bob\"]}")) {
      try (RawClient client = RawClient.open(server.port())) {
        client.text(early);
        assertThat(client.next()).contains("\"hello_expected\"");
        assertThat(client.next()).isEqualTo("close 4400");
      }
    }
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.text("{\"type\":\"hello\",\"clientId\":\"c\"}");
      assertThat(client.next()).contains("\"hello_expected\"");
      assertThat(client.next()).isEqualTo("close 4400");
    }
  }

  @Test
  void keepsAConnectionThatErrs() throws IOException {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.text("{\"type\":\"nonsense\"}");
      assertThat(client.next()).contains("\"unknown_type\"");
      client.text("{\"type\":\"ack\",\"seq\":\"1\"}");
      assertThat(client.next()).contains("\"bad_frame\"");
      client.text("{\"type\":\"subscribe\",\"channel\":\"no:x\"}");
      assertThat(client.next()).contains("\"no_such_channel\"", "\"channel\":\"no:x\"");
      client.text("{\"type\":\"ack\",\"seq\":1}");
      assertThat(client.next()).contains("\"ack_beyond_sent\"");
      client.text("ping");
      assertThat(client.next()).isEqualTo("pong");
    }
  }

  @Test
  void sendsAndIsToldSent() throws IOException {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.text(
          "{\"type\":\"send\",\"clientMsgId\":\"m1\",\"to\":{\"users\":[\"a\",\"b\"]},"
              + "\"payload\":1.50}");
      assertThat(client.next()).contains("\"sent\"", "\"m1\"");
      Event.Message message = server.log.events(Event.Message.class).get(0);
      assertThat(message.payload()).isEqualTo(RawJson.of("1.50"));
    }
  }

  @Test
  void deliversABacklogInOrderAndWithoutRepeats() throws IOException {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      Session session = onlySession();
      for (int seq = 1; seq <= 2_000; seq++) {
        byte[] frame = message(seq);
        session.onMessages(seq, frame);
        session.onMessages(seq, frame);
      }
      session.onSync(2_000, ServerFrames.sync(2_000, -1));
      for (int seq = 1; seq <= 2_000; seq++) {
        assertThat(client.next()).isEqualTo(new String(message(seq), StandardCharsets.UTF_8));
      }
      assertThat(client.next()).contains("\"sync\"", "2000");
      client.text("{\"type\":\"ping\"}");
      assertThat(client.next()).contains("\"seq\":2000");
    }
  }

  @Test
  void closesASlowConsumerAndDropsItsQueue() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      Session session = onlySession();
      byte[] large = new byte[60_000];
      java.util.Arrays.fill(large, (byte) 'x');
      for (int seq = 1; seq <= 400; seq++) {
        session.onMessages(seq, large);
      }
      Event.Disconnect told = await(Event.Disconnect.class);
      assertThat(told.reason()).isEqualTo("slow_consumer");
      List<String> rest = client.rest();
      assertThat(rest.get(rest.size() - 1)).isEqualTo("close 4004");
      assertThat(rest.size()).isLessThan(200);
    }
  }

  @Test
  void whoWouldExceedTheNodesBudgetIsASlowConsumerAndItsShareComesBack() throws Exception {
    server.close();
    server = new TestServer(TestLimits.nodeQueueBytes(200_000));
    byte[] large = new byte[60_000];
    java.util.Arrays.fill(large, (byte) 'x');
    try (RawClient slow = RawClient.hello(server.port(), "c")) {
      Session session = onlySession();
      for (int seq = 1; seq <= 400; seq++) {
        session.onMessages(seq, large);
      }
      assertThat(await(Event.Disconnect.class).reason()).isEqualTo("slow_consumer");
      try (RawClient other = RawClient.hello(server.port(), "d")) {
        String connId = server.log.events(Event.Connect.class).get(1).connId();
        Session next = java.util.Objects.requireNonNull(server.sessions.get(connId));
        for (int seq = 1; seq <= 3; seq++) {
          next.onMessages(seq, large);
          assertThat(other.next()).hasSize(large.length);
        }
      }
      assertThat(slow.rest()).contains("close 4004");
    }
  }

  @Test
  void tellsTheLogWhenTheClientGoesHoweverItGoes() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c1")) {
      client.frame(true, RawClient.CLOSE, new byte[] {3, (byte) 0xe8});
      assertThat(client.next()).isEqualTo("close 1000");
      assertThat(client.next()).isEqualTo("end");
    }
    try (RawClient client = RawClient.hello(server.port(), "c2")) {
      client.socket().shutdownOutput();
      awaitCount(Event.Disconnect.class, 2);
    }
    try (RawClient client = RawClient.hello(server.port(), "c3")) {
      client.socket().setSoLinger(true, 0);
    }
    awaitCount(Event.Disconnect.class, 3);
    awaitNoSessions();
    assertThat(server.sessions.awaitingWelcome()).isZero();
  }

  @Test
  void aCloseFromTheLogTellsItNothing() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      onlySession().onClose(CloseCode.REPLACED);
      assertThat(client.next()).isEqualTo("close 4002");
      client.frame(true, RawClient.CLOSE, new byte[] {0x0f, (byte) 0xa2});
      assertThat(client.next()).isEqualTo("end");
    }
    awaitNoSessions();
    assertThat(server.log.events(Event.Disconnect.class)).isEmpty();
    assertThat(server.log.forgotten).hasSize(1);
  }

  @Test
  void dropsASocketThatIgnoresItsClose() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      onlySession().close(CloseCode.SERVER_RESTART);
      assertThat(client.next()).isEqualTo("close 4001");
      awaitNoSessions();
    }
  }

  @Test
  void holdsFramesUntilTheWelcomeAndStopsReadingWhenFull() throws Exception {
    server.log.welcomes = null;
    try (RawClient client = RawClient.open(server.port())) {
      client.text("{\"type\":\"hello\",\"clientId\":\"c\",\"lastSeq\":0}");
      int sends = Limits.DEFAULT.pendingFrames() + 100;
      for (int i = 0; i < sends; i++) {
        client.text(
            "{\"type\":\"send\",\"clientMsgId\":\"m"
                + i
                + "\",\"to\":{\"user\":\"a\"},\"payload\":0}");
      }
      awaitCount(Event.Connect.class, 1);
      Thread.sleep(200);
      assertThat(server.log.events(Event.Message.class)).isEmpty();
      onlySession().onWelcome(dev.holdfast.edge.FakeLog.welcome(0));
      awaitCount(Event.Message.class, sends);
      List<Event.Message> taken = server.log.events(Event.Message.class);
      for (int i = 0; i < sends; i++) {
        assertThat(taken.get(i).clientMsgId()).isEqualTo("m" + i);
      }
    }
  }

  private Session onlySession() {
    String connId = server.log.events(Event.Connect.class).get(0).connId();
    Session session = server.sessions.get(connId);
    assertThat(session).isNotNull();
    return java.util.Objects.requireNonNull(session);
  }

  private static byte[] message(long seq) {
    return ServerFrames.message(seq, "id" + seq, "a", 1, false, RawJson.of("{\"n\":" + seq + "}"));
  }

  private <E extends Event> E await(Class<E> type) throws InterruptedException {
    awaitCount(type, 1);
    return server.log.events(type).get(0);
  }

  private <E extends Event> void awaitCount(Class<E> type, int count) throws InterruptedException {
    long end = TestServer.nowMs() + 8_000;
    while (server.log.events(type).size() < count && TestServer.nowMs() < end) {
      Thread.sleep(10);
    }
    assertThat(server.log.events(type)).hasSize(count);
  }

  private void awaitNoSessions() throws InterruptedException {
    long end = TestServer.nowMs() + 8_000;
    while (server.sessions.size() > 0 && TestServer.nowMs() < end) {
      Thread.sleep(10);
    }
    assertThat(server.sessions.size()).isZero();
  }
}
