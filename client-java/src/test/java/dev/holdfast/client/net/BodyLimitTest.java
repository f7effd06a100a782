package dev.holdfast.client.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.client.port.HttpAnswer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Bodies of a real server that are too long, or do not end. */
class BodyLimitTest {
  private static final int MOST = 10_000;
  private static final byte[] FILL = new byte[1_000];

  private final CompletableFuture<Long> written = new CompletableFuture<>();
  private final HttpServer server;

  BodyLimitTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
    server.start();
    Arrays.fill(FILL, (byte) 'x');
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private HttpAnswer get(long limitMs) throws Exception {
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    return new JdkTransport(
            HttpClient.newHttpClient(), new SystemTimers(), Duration.ofMillis(limitMs), MOST)
        .get(url, null)
        .toCompletableFuture()
        .get(20, TimeUnit.SECONDS);
  }

  /** Writes so many bytes, and then {@code pauseMs} before each thousand, until it cannot. */
  private void body(int bytes, int most, long pauseMs) {
    server.createContext(
        "/",
        exchange -> {
          long sum = 0;
          try (OutputStream out = exchange.getResponseBody()) {
            exchange.sendResponseHeaders(200, 0);
            for (; sum < most; sum += FILL.length) {
              if (sum >= bytes) {
                Thread.sleep(pauseMs); // a server that is slow, and no wait for anything
              }
              out.write(FILL);
              out.flush();
            }
          } catch (IOException | InterruptedException e) {
            written.complete(sum); // the client has gone
            return;
          }
          written.complete(-1L);
        });
  }

  @Test
  @DisplayName("a body as long as it may be is read")
  void asLongAsItMayBe() throws Exception {
    body(MOST, MOST, 0);
    assertThat(get(10_000).body()).hasSize(MOST);
    assertThat(written.get(10, TimeUnit.SECONDS)).isEqualTo(-1);
  }

  @Test
  @DisplayName("a longer one is given up, and its server hears no more of it")
  void tooLong() throws Exception {
    body(Integer.MAX_VALUE, Integer.MAX_VALUE, 0);
    assertThatThrownBy(() -> get(10_000))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("longer than 10000 bytes");
    assertThat(written.get(10, TimeUnit.SECONDS)).isPositive();
  }

  @Test
  @DisplayName("one that does not come to its end is given up in time, and its connection too")
  void tooSlow() throws Exception {
    body(2_000, Integer.MAX_VALUE, 50);
    assertThatThrownBy(() -> get(150))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TimeoutException.class);
    assertThat(written.get(10, TimeUnit.SECONDS)).isBetween(2_000L, 9_000L);
  }
}
