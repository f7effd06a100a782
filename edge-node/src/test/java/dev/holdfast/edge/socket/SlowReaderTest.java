package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.session.Session;
import dev.holdfast.record.Event;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One client stops reading while others go on. */
@Timeout(60)
class SlowReaderTest {
  private static final int OTHERS = 1_000;
  private static final int ROUNDS = 40;

  @Test
  void aReaderThatStopsIsCutWithinItsBudgetAndTheOthersGetEverythingInOrder() throws Exception {
    List<RawClient> others = new ArrayList<>();
    try (TestServer server = new TestServer(Limits.DEFAULT);
        RawClient stuck = RawClient.hello(server.port(), "stuck")) {
      for (int i = 0; i < OTHERS; i++) {
        others.add(RawClient.hello(server.port(), "c" + i));
      }
      Map<String, Session> sessions = byClient(server);
      Session slow = Objects.requireNonNull(sessions.remove("stuck"));
      byte[] large = "x".repeat(60_000).getBytes(StandardCharsets.US_ASCII);
      long most = 0;
      for (int round = 1; round <= ROUNDS; round++) {
        for (int n = 0; n < 10; n++) {
          slow.onMessages((round - 1) * 10L + n + 1, large);
        }
        byte[] small = ("{\"n\":" + round + "}").getBytes(StandardCharsets.US_ASCII);
        for (Session session : sessions.values()) {
          session.onMessages(round, small);
        }
        most = Math.max(most, server.queuedBytes());
      }
      assertThat(server.log.events(Event.Disconnect.class))
          .extracting(Event.Disconnect::reason)
          .containsExactly("slow_consumer");
      assertThat(most).isLessThan(2L * Limits.DEFAULT.queueBytes());
      for (RawClient other : others) {
        for (int round = 1; round <= ROUNDS; round++) {
          assertThat(other.next()).isEqualTo("{\"n\":" + round + "}");
        }
      }
      assertThat(server.queuedBytes()).isZero();
      assertThat(stuck.ends()).isTrue();
      server.awaitSessions(OTHERS);
    } finally {
      for (RawClient other : others) {
        other.close();
      }
    }
  }

  private static Map<String, Session> byClient(TestServer server) {
    Map<String, Session> sessions = new HashMap<>();
    for (Event.Connect connect : server.log.events(Event.Connect.class)) {
      Session session = Objects.requireNonNull(server.sessions.get(connect.connId()));
      sessions.put(connect.clientId(), session);
    }
    return sessions;
  }
}
