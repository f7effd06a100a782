package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.session.Session;
import dev.holdfast.record.Event;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Heartbeats through real sockets, with an interval of one second. */
@Timeout(30)
class HeartbeatTest {
  private static final int INTERVAL_MS = 1_000;
  private static final int FRAME = 1_000;

  private final TestServer server =
      new TestServer(Limits.DEFAULT.withHeartbeat(INTERVAL_MS, 500, 3_000));

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  @DisplayName("R-3.5 a connection whose pong does not come is reset, and the log is told why")
  void resetsAConnectionThatAnswersNoPing() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      assertThat(client.next()).isEqualTo("opcode 9 ");
      assertThat(client.rest()).containsExactly("reset");
    }
    assertThat(server.log.events(Event.Disconnect.class).get(0).reason())
        .isEqualTo("heartbeat_timeout");
    assertThat(server.counters.heartbeatsMissed.sum()).isEqualTo(1);
    server.awaitQuiet();
  }

  @Test
  @DisplayName("R-3.6 a client that only answers PINGs is closed with 4003")
  void closesAClientWhoseStackAloneLives() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      int pings = 0;
      String next = client.next();
      while (next.equals("opcode 9 ")) {
        pings++;
        client.frame(true, RawClient.PONG, new byte[0]);
        next = client.next();
      }
      assertThat(next).isEqualTo("close 4003");
      assertThat(pings).isBetween(2, 5);
    }
  }

  @Test
  @DisplayName("R-3.1 a client that pings stays")
  void keepsAClientThatPings() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      long end = TestServer.nowMs() + 5L * INTERVAL_MS;
      while (TestServer.nowMs() < end) {
        client.text("ping");
        String answer = client.next();
        while (answer.startsWith("opcode 9")) {
          answer = client.next();
        }
        assertThat(answer).isEqualTo("pong");
        Thread.sleep(INTERVAL_MS / 4);
      }
      assertThat(server.counters.heartbeatsMissed.sum()).isZero();
    }
  }

  @Test
  @DisplayName("R-3.4 pongs go ahead of a full queue")
  void answersPingsAheadOfQueuedMessages() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      int seq = fill(onlySession());
      client.text("ping");
      client.text("{\"type\":\"ping\",\"ts\":1}");
      client.frame(true, RawClient.PING, new byte[] {'z'});
      server.awaitFramesIn(2);
      List<String> answers = new ArrayList<>();
      int after = 0;
      for (int messages = 0; messages < seq; ) {
        String next = client.next();
        if (next.length() == FRAME) {
          messages++;
          after += answers.isEmpty() ? 0 : 1;
        } else if (!next.equals("opcode 9 ")) {
          answers.add(next);
        }
      }
      assertThat(answers).hasSize(3).contains("opcode 10 z", "pong");
      assertThat(after).as("messages that the pongs overtook").isGreaterThan(900);
    }
  }

  /** Queues messages until the socket takes none and a megabyte waits; returns the last seq. */
  private int fill(Session session) throws InterruptedException {
    byte[] frame = "x".repeat(FRAME).getBytes(StandardCharsets.US_ASCII);
    int seq = 0;
    long stuckSince = TestServer.nowMs();
    while (TestServer.nowMs() - stuckSince < 200) {
      if (server.queuedBytes() < 1_000_000) {
        session.onMessages(++seq, frame);
        stuckSince = TestServer.nowMs();
      } else {
        Thread.sleep(1);
      }
    }
    return seq;
  }

  @Test
  void theWelcomeTellsTheInterval() throws IOException {
    try (RawClient client = RawClient.open(server.port())) {
      client.text("{\"type\":\"hello\",\"clientId\":\"c\",\"lastSeq\":0}");
      assertThat(client.next()).contains("\"heartbeat\":{\"intervalMs\":1000,\"timeoutMs\":500}");
    }
  }

  private Session onlySession() {
    String connId = server.log.events(Event.Connect.class).get(0).connId();
    return Objects.requireNonNull(server.sessions.get(connId));
  }
}
