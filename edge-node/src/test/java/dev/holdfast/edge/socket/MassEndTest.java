package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.admission.Networks;
import dev.holdfast.edge.admission.Rate;
import dev.holdfast.edge.session.Session;
import dev.holdfast.record.Event;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many connections end at once, in each of the ways in which one can. */
@Timeout(60)
class MassEndTest {
  private static final int MANY = 600;

  @Test
  @DisplayName("each session ends once, no socket is left, and who stays is served")
  void allEndOnce() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT);
        RawClient stays = RawClient.hello(server.port(), "stays")) {
      List<RawClient> many = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        many.add(RawClient.hello(server.port(), "c" + i));
      }
      byte[] large = ("\"" + "x".repeat(60_000) + "\"").getBytes(StandardCharsets.US_ASCII);
      for (Event.Connect connect : server.log.events(Event.Connect.class)) {
        boolean reads = connect.clientId().equals("stays") || connect.clientId().endsWith("0");
        for (int n = 1; n <= (reads ? 0 : 20); n++) {
          session(server, connect).onMessages(n, large); // more than the kernel takes, for some
        }
      }
      for (int i = 0; i < MANY; i++) {
        end(many.get(i), i);
      }
      stays.text("ping");
      assertThat(stays.next()).isEqualTo("pong");
      server.awaitSessions(1);
      assertThat(server.log.events(Event.Disconnect.class)).hasSize(MANY);
      awaitSockets(server, 1);
      assertThat(server.counters.connectionsEnded.sum()).isEqualTo(MANY);
      assertThat(server.queuedBytes()).isZero();
      stays.text("ping");
      assertThat(stays.next()).isEqualTo("pong");
    }
  }

  @Test
  @DisplayName("what was sent before the end of the stream is taken")
  void lastWords() throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT)) {
      int frames = 0;
      for (int i = 0; i < 50; i++) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int n = 0; n < 20; n++) {
          String send =
              "{\"type\":\"send\",\"clientMsgId\":\"m"
                  + n
                  + "\",\"to\":{\"user\":\"a\"},\"payload\":0}";
          byte[] body = send.getBytes(StandardCharsets.US_ASCII);
          all.writeBytes(RawClient.encode(0x80 | RawClient.TEXT, true, body));
          frames++;
        }
        try (RawClient client = RawClient.hello(server.port(), "c" + i)) {
          client.raw(all.toByteArray());
          client.socket().shutdownOutput();
          assertThat(client.ends()).isTrue();
        }
      }
      server.awaitSessions(0);
      assertThat(server.log.events(Event.Message.class)).hasSize(frames);
    }
  }

  @Test
  @DisplayName("all who are refused at once are told so, none of their sockets is left")
  void refused() throws Exception {
    AdmissionConfig config =
        new AdmissionConfig(
            new Rate(0.001, 1),
            Rate.OFF,
            Rate.OFF,
            Rate.OFF,
            Networks.NONE,
            Networks.NONE,
            0,
            0,
            0,
            0,
            0,
            0,
            Rate.OFF,
            Rate.OFF,
            0);
    try (TestServer server = new TestServer(Limits.DEFAULT, config, null);
        RawClient stays = RawClient.hello(server.port(), "stays")) {
      List<RawClient> many = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        many.add(RawClient.ask(server.port()));
      }
      for (int i = 0; i < MANY; i++) {
        RawClient one = many.get(i);
        assertThat(one.status()).isEqualTo(503);
        byte[] body = one.socket().getInputStream().readAllBytes();
        assertThat(new String(body, StandardCharsets.US_ASCII)).contains("overloaded");
        if (i % 2 == 0) {
          one.socket().setSoLinger(true, 0);
        }
      }
      for (RawClient one : many) {
        one.close();
      }
      stays.text("ping");
      assertThat(stays.next()).isEqualTo("pong");
      awaitSockets(server, 1);
    }
  }

  private static Session session(TestServer server, Event.Connect connect) {
    return Objects.requireNonNull(server.sessions.get(connect.connId()));
  }

  /** A reset or an end of the stream, some in the middle of a frame or a message. */
  private static void end(RawClient client, int how) throws Exception {
    byte[] frame = RawClient.encode(0x80 | RawClient.TEXT, true, new byte[50]);
    if (how % 3 == 1) {
      client.raw(Arrays.copyOf(frame, 20));
    } else if (how % 3 == 2) {
      client.frame(false, RawClient.TEXT, "x".getBytes(StandardCharsets.US_ASCII));
    }
    if (how % 2 == 0) {
      client.socket().setSoLinger(true, 0);
    }
    client.close();
  }

  private static void awaitSockets(TestServer server, int count) throws InterruptedException {
    long end = TestServer.nowMs() + 10_000;
    while (server.admission.openSockets() != count && TestServer.nowMs() < end) {
      Thread.sleep(5);
    }
    assertThat(server.admission.openSockets()).isEqualTo(count);
  }
}
