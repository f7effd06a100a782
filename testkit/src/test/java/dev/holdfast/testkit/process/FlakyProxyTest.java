package dev.holdfast.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class FlakyProxyTest {
  private final ServerSocket echo;
  private final FlakyProxy proxy;

  FlakyProxyTest() throws IOException {
    echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    proxy = new FlakyProxy("127.0.0.1", echo.getLocalPort());
  }

  @BeforeEach
  void serve() {
    Thread server =
        new Thread(
            () -> {
              while (!echo.isClosed()) {
                try {
                  Socket client = echo.accept();
                  new Thread(() -> echo(client)).start();
                } catch (IOException e) {
                  return;
                }
              }
            });
    server.setDaemon(true);
    server.start();
  }

  private static void echo(Socket client) {
    try (client) {
      client.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException e) {
      return; // the proxy cut it
    }
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    echo.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(5_000);
    return socket;
  }

  private static int roundTrip(Socket socket, int value) throws IOException {
    socket.getOutputStream().write(value);
    return socket.getInputStream().read();
  }

  @Test
  void passesBytesAndTheEndBothWays() throws IOException {
    try (Socket socket = connect()) {
      assertThat(roundTrip(socket, 7)).isEqualTo(7);
      socket.shutdownOutput();
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void cutResetsConnectionsAndTakesNewOnes() throws IOException {
    try (Socket socket = connect()) {
      roundTrip(socket, 1);
      proxy.cut();
      assertThatThrownBy(() -> roundTrip(socket, 2)).isInstanceOf(SocketException.class);
    }
    try (Socket again = connect()) {
      assertThat(roundTrip(again, 3)).isEqualTo(3);
    }
  }

  @Test
  void refuseCutsNewOnesUntilThaw() throws IOException {
    proxy.refuse();
    try (Socket socket = connect()) {
      assertThatThrownBy(() -> assertThat(roundTrip(socket, 1)).isNotEqualTo(-1))
          .isInstanceOf(SocketException.class);
    }
    proxy.thaw();
    try (Socket socket = connect()) {
      assertThat(roundTrip(socket, 2)).isEqualTo(2);
    }
  }

  @Test
  void freezeHoldsBytesUntilThaw() throws IOException {
    try (Socket socket = connect()) {
      roundTrip(socket, 1);
      proxy.freeze();
      socket.setSoTimeout(300);
      assertThatThrownBy(() -> roundTrip(socket, 2)).isInstanceOf(SocketTimeoutException.class);
      proxy.thaw();
      socket.setSoTimeout(5_000);
      assertThat(socket.getInputStream().read()).isEqualTo(2);
    }
  }

  @Test
  void frozenTakesConnectionsButAnswersNothing() throws IOException {
    proxy.freeze();
    try (Socket socket = connect()) {
      socket.setSoTimeout(300);
      assertThatThrownBy(() -> roundTrip(socket, 1)).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void delayHoldsEachDirection() throws IOException {
    try (Socket socket = connect()) {
      roundTrip(socket, 1);
      proxy.delay(Duration.ofMillis(100));
      long before = System.nanoTime();
      assertThat(roundTrip(socket, 2)).isEqualTo(2);
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isGreaterThanOrEqualTo(Duration.ofMillis(200));
    }
  }
}
