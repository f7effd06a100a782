package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.edge.TestLimits;
import dev.holdfast.record.Event;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a hostile client may do after the upgrade, and that it costs nobody else anything. */
@Timeout(60)
class HostileFramesTest {
  private static final int FIN = 0x80;
  private static final String SEND =
      "{\"type\":\"send\",\"clientMsgId\":\"late\",\"to\":{\"user\":\"a\"},\"payload\":0}";

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

  /** Bytes after the welcome, and the close that they get. */
  record Attack(String name, String close, List<byte[]> frames) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final byte[] NEGATIVE =
      HexFormat.of().parseHex("81ff" + "ed55010203047a20" + "00000000");

  static List<Attack> attacks() {
    return List.of(
        attack("an unmasked frame", 1002, RawClient.encode(FIN | 1, false, ascii("ping"))),
        attack("a compressed frame", 1002, frame(FIN | 0x40 | 1, "ping")),
        attack("reserved bit 2", 1002, frame(FIN | 0x20 | 1, "ping")),
        attack("reserved bit 3", 1002, frame(FIN | 0x10 | 1, "ping")),
        attack("a compressed control frame", 1002, frame(FIN | 0x40 | 9, "x")),
        attack("reserved opcode 3", 1002, frame(FIN | 3, "x")),
        attack("reserved opcode 11", 1002, frame(FIN | 11, "x")),
        attack("a PING of 126 bytes", 1002, frame(FIN | 9, "x".repeat(126))),
        attack("a close of 126 bytes", 1002, frame(FIN | 8, "x".repeat(126))),
        attack("a fragmented PING", 1002, frame(9, "x")),
        attack("a continuation of nothing", 1002, frame(FIN, "x")),
        attack("text within text", 1002, frame(1, "{"), frame(FIN | 1, "}")),
        attack("a close of one byte", 1002, frame(FIN | 8, "x")),
        attack("close 999", 1002, close(999, "")),
        attack("close 1004", 1002, close(1004, "")),
        attack("close 1005", 1002, close(1005, "")),
        attack("close 1006", 1002, close(1006, "")),
        attack("close 1015", 1002, close(1015, "")),
        attack("close 5000", 1002, close(5000, "")),
        attack("bad UTF-8 in one frame", 1007, bytes(FIN | 1, 0xff)),
        attack("UTF-8 cut off at the end", 1007, bytes(FIN | 1, 'x', 0xe2, 0x82)),
        attack("a half of a surrogate", 1007, bytes(FIN | 1, 0xed, 0xa0, 0x80)),
        attack("bad UTF-8 over fragments", 1007, bytes(1, 'x', 0xe2), bytes(FIN, 0x28)),
        attack("a length of 2^62", 1009, length(0x40), new byte[100_000]),
        attack("a negative length", 1002, length(0x80)),
        attack("a negative length that ends as a positive one", 1002, NEGATIVE, new byte[100]));
  }

  @ParameterizedTest
  @MethodSource("attacks")
  void closesWithTheCodeAndEnds(Attack attack) throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      for (byte[] frame : attack.frames) {
        client.raw(frame);
      }
      assertThat(client.rest()).containsExactly(attack.close);
      assertThat(client.ends()).as("the server ends the connection").isTrue();
    }
  }

  @Test
  void closesAnsweredAndEnds() throws Exception {
    for (byte[] close : List.of(close(1000, "bye"), close(3000, ""), close(4999, ""))) {
      try (RawClient client = RawClient.hello(server.port(), "c")) {
        client.raw(close);
        assertThat(client.rest()).hasSize(1).allMatch(said -> said.startsWith("close"));
        assertThat(client.ends()).isTrue();
      }
    }
  }

  @Test
  void takesNothingAfterAClose() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      byte[] close = close(1000, "");
      byte[] send = frame(FIN | 1, SEND);
      byte[] both = java.util.Arrays.copyOf(close, close.length + send.length);
      System.arraycopy(send, 0, both, close.length, send.length);
      client.raw(both);
      assertThat(client.rest()).containsExactly("close 1000");
      assertThat(client.ends()).isTrue();
    }
    server.awaitQuiet();
    assertThat(server.log.events(Event.Message.class)).isEmpty();
  }

  @Test
  void controlFramesMayComeBetweenFragments() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.raw(frame(1, SEND.substring(0, 10)));
      client.raw(frame(FIN | 9, "a"));
      assertThat(client.next()).isEqualTo("opcode 10 a");
      client.raw(frame(0, SEND.substring(10, 20)));
      client.raw(frame(FIN | 10, "unasked"));
      client.raw(frame(FIN, SEND.substring(20)));
      assertThat(client.next()).contains("\"sent\"", "\"late\"");
    }
  }

  @Test
  void aFrameThatNeverEndsIsHeldOnTheNodesAccountUntilTheConnectionIsIdle() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      byte[] whole = frame(FIN | 1, "x".repeat(50_000));
      client.raw(java.util.Arrays.copyOf(whole, 40_000));
      awaitQueued(39_000);
      int sent = 40_000;
      String said = "";
      while (!said.startsWith("close") && sent < 40_100) {
        client.raw(java.util.Arrays.copyOfRange(whole, sent, sent + 1));
        sent++;
        said = client.next(); // a PING comes every second, then the close
      }
      assertThat(said).isEqualTo("close 4003");
    }
    server.awaitQuiet();
  }

  /** What is left of a refused frame is still checked for UTF-8 as it is read. */
  @Test
  void aRefusedFrameThatIsNoUtf8OccupiesNoThread() throws Exception {
    byte[] body = new byte[300_000];
    for (int i = 0; i < body.length; i++) {
      body[i] = (byte) (i < 150_000 ? 'x' : 0xff);
    }
    for (int i = 0; i < 8; i++) { // each I/O thread gets some
      try (RawClient client = RawClient.hello(server.port(), "c" + i)) {
        try {
          client.raw(RawClient.encode(FIN | 1, true, body));
        } catch (java.net.SocketException e) {
          assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|closed).*");
        }
        assertThat(client.ends()).isTrue();
      }
    }
    server.awaitQuiet();
  }

  @Test
  void aFrameThatStallsIsADeadConnection() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.raw(java.util.Arrays.copyOf(frame(FIN | 1, "x".repeat(50_000)), 30_000));
      assertThat(client.ends()).isTrue();
    }
    assertThat(server.counters.heartbeatsMissed.sum()).isEqualTo(1);
  }

  @Test
  void aHalfFrameBeforeHelloTimesOut() throws Exception {
    try (RawClient client = RawClient.open(server.port())) {
      client.raw(java.util.Arrays.copyOf(frame(FIN | 1, "x".repeat(100)), 50));
      assertThat(client.rest()).containsExactly("close 4408");
      assertThat(client.ends()).isTrue();
    }
  }

  @Test
  void aFloodOfPingsUnreadIsCutWithinItsBudget() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      byte[] many = new byte[10 * 1_000];
      byte[] one = frame(FIN | 1, "ping");
      for (int i = 0; i < 1_000; i++) {
        System.arraycopy(one, 0, many, i * one.length, one.length);
      }
      long most = 0;
      try {
        for (int i = 0; i < 3_000 && server.log.events(Event.Disconnect.class).isEmpty(); i++) {
          client.raw(many);
          most = Math.max(most, server.queuedBytes());
        }
      } catch (java.net.SocketException e) {
        assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|closed).*");
      }
      assertThat(most).isLessThanOrEqualTo(OutboundQueue.MOST_FRAMES * 52L);
      assertThat(client.ends()).isTrue();
    }
    server.awaitQuiet();
  }

  @Test
  void aFloodOfProtocolPingsQueuesNothing() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      byte[] ping = frame(FIN | 9, "x".repeat(125));
      long most = 0;
      try {
        for (int i = 0; i < 5_000; i++) {
          client.raw(ping);
          most = Math.max(most, server.queuedBytes());
        }
      } catch (java.net.SocketException e) {
        assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|closed).*");
      }
      assertThat(most).isZero();
      assertThat(client.ends()).as("so many in a minute end the connection").isTrue();
    }
  }

  private void awaitQueued(long bytes) throws InterruptedException {
    long end = TestServer.nowMs() + 5_000;
    while (server.queuedBytes() < bytes && TestServer.nowMs() < end) {
      Thread.sleep(5);
    }
    assertThat(server.queuedBytes()).isGreaterThanOrEqualTo(bytes);
  }

  private static Attack attack(String name, int close, byte[]... frames) {
    return new Attack(name, "close " + close, List.of(frames));
  }

  private static byte[] frame(int first, String body) {
    return RawClient.encode(first, true, ascii(body));
  }

  private static byte[] bytes(int first, int... body) {
    byte[] bytes = new byte[body.length];
    for (int i = 0; i < body.length; i++) {
      bytes[i] = (byte) body[i];
    }
    return RawClient.encode(first, true, bytes);
  }

  private static byte[] close(int code, String reason) {
    byte[] body = ("xx" + reason).getBytes(StandardCharsets.US_ASCII);
    body[0] = (byte) (code >> 8);
    body[1] = (byte) code;
    return RawClient.encode(FIN | 8, true, body);
  }

  /** A head that claims a length of eight bytes, of which the first is given. */
  private static byte[] length(int high) {
    return new byte[] {
      (byte) (FIN | 1), (byte) 0xff, (byte) high, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 'x', 'x'
    };
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
