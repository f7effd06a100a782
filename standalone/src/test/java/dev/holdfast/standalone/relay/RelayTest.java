package dev.holdfast.standalone.relay;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real sockets through a relay: what its links do to them. */
@Timeout(30)
class RelayTest {
  private static final int SOON_MS = 5_000;

  /** So long nothing must come. */
  private static final int QUIET_MS = 200;

  private final Links links = new Links();
  private final List<Socket> opened = new ArrayList<>();
  private ServerSocket upstream;
  private Relay relay;

  @BeforeEach
  void start() throws IOException {
    upstream = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    relay = new Relay("edge-1", links, upstream::getLocalPort);
  }

  @AfterEach
  void stop() throws IOException {
    relay.close();
    upstream.close();
    for (Socket socket : opened) {
      socket.close();
    }
  }

  private record Ends(Socket client, Socket server) {}

  private Ends open(String tag) throws Exception {
    Socket client = connect();
    say(client, "GET /v1/ws?tag=" + tag + " HTTP/1.1\r\n");
    Socket server = accept();
    assertThat(hear(server, 26 + tag.length())).startsWith("GET /v1/ws?tag=" + tag + " ");
    return new Ends(client, server);
  }

  private Socket connect() throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), relay.port());
    client.setSoTimeout(SOON_MS);
    opened.add(client);
    return client;
  }

  private Socket accept() throws Exception {
    Socket server =
        CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return upstream.accept();
                  } catch (IOException e) {
                    throw new IllegalStateException(e);
                  }
                })
            .get(SOON_MS, TimeUnit.MILLISECONDS);
    server.setSoTimeout(SOON_MS);
    opened.add(server);
    return server;
  }

  private static void say(Socket to, String text) throws IOException {
    to.getOutputStream().write(text.getBytes(US_ASCII));
  }

  private static String hear(Socket from, int bytes) throws IOException {
    return new String(from.getInputStream().readNBytes(bytes), US_ASCII);
  }

  private static void hearsNothing(Socket socket) throws IOException {
    socket.setSoTimeout(QUIET_MS);
    assertThatThrownBy(() -> socket.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    socket.setSoTimeout(SOON_MS);
  }

  private static void isReset(Socket socket) {
    assertThatThrownBy(() -> hear(socket, 1))
        .isInstanceOf(IOException.class)
        .hasMessage("Connection reset");
  }

  @Test
  @DisplayName("bytes pass in both directions, an end in order too")
  void passes() throws Exception {
    Ends ends = open("alice");
    say(ends.client(), "up");
    assertThat(hear(ends.server(), 2)).isEqualTo("up");
    say(ends.server(), "down");
    assertThat(hear(ends.client(), 4)).isEqualTo("down");
    assertThat(links.views())
        .singleElement()
        .satisfies(
            view -> {
              assertThat(view.tag()).isEqualTo("alice");
              assertThat(view.edge()).isEqualTo("edge-1");
              assertThat(view.bytesDown()).isEqualTo(4);
            });
    ends.client().shutdownOutput();
    assertThat(ends.server().getInputStream().read()).isEqualTo(-1);
    ends.server().close();
    assertThat(ends.client().getInputStream().read()).isEqualTo(-1);
  }

  @Test
  @DisplayName("a cut resets both sides of the tag's connections and no other")
  void cuts() throws Exception {
    Ends alice = open("alice");
    Ends bob = open("bob");
    assertThat(links.cut("carol")).isZero();
    assertThat(links.cut("alice")).isEqualTo(1);
    isReset(alice.client());
    isReset(alice.server());
    say(bob.client(), "x");
    assertThat(hear(bob.server(), 1)).isEqualTo("x");
  }

  @Test
  @DisplayName("a frozen connection is silent, hears of nothing, and goes on in order when thawed")
  void freezes() throws Exception {
    Ends ends = open("alice");
    assertThat(links.freeze("alice")).isEqualTo(1);
    say(ends.client(), "one");
    say(ends.server(), "two");
    hearsNothing(ends.server());
    hearsNothing(ends.client());
    assertThat(links.views()).singleElement().matches(Links.View::frozen);
    Ends next = open("alice"); // a new one of the same client is another connection
    say(next.client(), "x");
    assertThat(hear(next.server(), 1)).isEqualTo("x");
    assertThat(links.thaw("alice")).isEqualTo(2);
    assertThat(hear(ends.server(), 3)).isEqualTo("one");
    assertThat(hear(ends.client(), 3)).isEqualTo("two");
  }

  @Test
  @DisplayName("a frozen connection can be cut")
  void cutsFrozen() throws Exception {
    Ends ends = open("alice");
    links.freeze("alice");
    say(ends.client(), "one");
    links.cut("alice");
    isReset(ends.client());
  }

  @Test
  @DisplayName("offline: connections are reset, and each new one, until online")
  void offline() throws Exception {
    Ends ends = open("alice");
    assertThat(links.offline("alice")).isTrue();
    isReset(ends.client());
    Socket again = connect();
    say(again, "GET /v1/ws?x=1&tag=alice HTTP/1.1\r\n");
    isReset(again);
    assertThat(links.offlineTags()).containsExactly("alice");
    open("bob");
    assertThat(links.online("alice")).isTrue();
    assertThat(links.online("alice")).isFalse();
    open("alice");
  }

  @Test
  @DisplayName("when one side is reset, so is the other")
  void resetTravels() throws Exception {
    Ends ends = open("alice");
    Link.reset(ends.server());
    isReset(ends.client());
  }

  @Test
  @DisplayName("with nobody at the other end the client is reset")
  void nobodyThere() throws Exception {
    upstream.close();
    Socket client = connect();
    say(client, "GET / HTTP/1.1\r\n");
    isReset(client);
  }

  @Test
  @DisplayName("there are only so many places; one that is left can be taken")
  void places() throws Exception {
    List<Ends> all = new ArrayList<>();
    for (int i = 0; i < Links.MOST_PER_RELAY; i++) {
      all.add(open("t" + i));
    }
    Socket more = connect();
    isReset(more);
    links.cut("t0");
    isReset(all.get(0).client());
    assertThat(awaitPlace()).isTrue();
  }

  /** The place is free a moment after the reset is seen. */
  private boolean awaitPlace() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    while (System.nanoTime() < end) {
      Socket client = connect();
      try {
        say(client, "GET /v1/ws?tag=late HTTP/1.1\r\n");
        client.setSoTimeout(QUIET_MS);
        client.getInputStream().read();
      } catch (SocketTimeoutException e) {
        return true; // it is held, so it has a place
      } catch (IOException e) {
        // It was reset, while writing or while reading: there is no place yet.
      }
    }
    return false;
  }
}
