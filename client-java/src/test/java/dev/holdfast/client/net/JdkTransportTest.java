package dev.holdfast.client.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.port.Ended;
import dev.holdfast.client.port.HttpAnswer;
import dev.holdfast.client.port.Socket;
import dev.holdfast.client.port.SocketListener;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JdkTransportTest {
  private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private final JdkTransport transport =
      new JdkTransport(HttpClient.newHttpClient(), new SystemTimers());
  private final LinkedBlockingQueue<String> texts = new LinkedBlockingQueue<>();
  private final CompletableFuture<Boolean> opened = new CompletableFuture<>();
  private final LinkedBlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
  private final ServerSocket server;

  JdkTransportTest() throws IOException {
    server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private interface Behaviour {
    void with(java.net.Socket client, OutputStream out, DataInputStream in) throws Exception;
  }

  /** Takes one connection; {@code head} is answered to the handshake; empty: it is accepted. */
  private void serve(String head, Behaviour behaviour) {
    Thread thread =
        new Thread(
            () -> {
              try (java.net.Socket client = server.accept()) {
                String key = "";
                DataInputStream in = new DataInputStream(client.getInputStream());
                for (String line = line(in); !line.isEmpty(); line = line(in)) {
                  key = line.startsWith("Sec-WebSocket-Key:") ? line.substring(18).strip() : key;
                }
                OutputStream out = client.getOutputStream();
                out.write(
                    (head.isEmpty() ? accept(key) : head).getBytes(StandardCharsets.US_ASCII));
                out.flush();
                behaviour.with(client, out, in);
              } catch (Exception e) {
                texts.add("server: " + e);
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private static String line(DataInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      line.append((char) c);
    }
    return line.toString().strip();
  }

  private static String accept(String key) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-1")
            .digest((key + MAGIC).getBytes(StandardCharsets.US_ASCII));
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Protocol: holdfast.v1\r\nSec-WebSocket-Accept: "
        + Base64.getEncoder().encodeToString(digest)
        + "\r\n\r\n";
  }

  private static void frame(OutputStream out, int opcode, boolean last, byte[] body)
      throws IOException {
    out.write((last ? 0x80 : 0) | opcode);
    out.write(body.length);
    out.write(body);
    out.flush();
  }

  private Socket connect() {
    return connect(server.getLocalPort());
  }

  private Socket connect(int port) {
    Socket[] made = new Socket[1];
    made[0] =
        transport.connect(
            URI.create("ws://127.0.0.1:" + port + "/v1/ws"),
            new SocketListener() {
              @Override
              public void opened() {
                opened.complete(true);
              }

              @Override
              public void text(String text) {
                texts.add(text);
                made[0].more();
              }

              @Override
              public void ended(Ended how) {
                ended.add(how);
              }
            });
    return made[0];
  }

  private Ended end() throws InterruptedException {
    Ended how = ended.poll(10, TimeUnit.SECONDS);
    assertThat(how).isNotNull();
    return how;
  }

  @Test
  @DisplayName("R-1.9 a refused handshake tells its status and when to come again")
  void refused() throws Exception {
    serve(
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n",
        (client, out, in) -> {});
    connect();
    Ended how = end();
    assertThat(how.status()).isEqualTo(503);
    assertThat(how.retryAfterMs()).isEqualTo(3_000);
  }

  @Test
  @DisplayName("nobody there, and an address that is none, end the attempt")
  void unreachable() throws Exception {
    int port = server.getLocalPort();
    server.close();
    connect(port);
    assertThat(end().code()).isEqualTo(1006);
    transport.connect(
        URI.create("ftp://127.0.0.1/"),
        new SocketListener() {
          @Override
          public void opened() {}

          @Override
          public void text(String text) {}

          @Override
          public void ended(Ended how) {
            ended.add(how);
          }
        });
    assertThat(end().status()).isZero();
  }

  @Test
  @DisplayName("frames in parts are put together; the end is told once, with its code")
  void parts() throws Exception {
    serve(
        "",
        (client, out, in) -> {
          frame(out, 1, false, "hel".getBytes(StandardCharsets.UTF_8));
          frame(out, 0, true, "lo".getBytes(StandardCharsets.UTF_8));
          frame(out, 1, true, "again".getBytes(StandardCharsets.UTF_8));
          frame(out, 8, true, new byte[] {(byte) (4002 >> 8), (byte) 4002, 'x'});
        });
    connect();
    assertThat(texts.poll(10, TimeUnit.SECONDS)).isEqualTo("hello");
    assertThat(texts.poll(10, TimeUnit.SECONDS)).isEqualTo("again");
    Ended how = end();
    assertThat(how.code()).isEqualTo(4002);
    assertThat(how.reason()).isEqualTo("x");
    assertThat(ended.poll(200, TimeUnit.MILLISECONDS)).isNull();
  }

  @Test
  @DisplayName("what is sent at once goes out in order; a reset is told as 1006")
  void sends() throws Exception {
    CompletableFuture<List<String>> got = new CompletableFuture<>();
    serve(
        "",
        (client, out, in) -> {
          List<String> all = new ArrayList<>();
          for (int i = 0; i < 200; i++) {
            all.add(read(in));
          }
          got.complete(all);
          client.setSoLinger(true, 0);
        });
    Socket socket = connect();
    opened.get(10, TimeUnit.SECONDS);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      expected.add("m" + i);
      socket.send("m" + i);
    }
    assertThat(got.get(10, TimeUnit.SECONDS)).isEqualTo(expected);
    assertThat(end().code()).isEqualTo(1006);
  }

  /** A masked frame of less than 126 bytes. */
  private static String read(DataInputStream in) throws IOException {
    in.readByte();
    byte[] body = new byte[in.readByte() & 0x7f];
    byte[] mask = in.readNBytes(4);
    in.readFully(body);
    for (int i = 0; i < body.length; i++) {
      body[i] ^= mask[i % 4];
    }
    return new String(body, StandardCharsets.UTF_8);
  }

  @Test
  @DisplayName("an attempt that was given up leaves no connection behind")
  void givenUp() throws Exception {
    CompletableFuture<Integer> next = new CompletableFuture<>();
    CompletableFuture<Boolean> aborted = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try (java.net.Socket client = server.accept()) {
                BufferedReader in =
                    new BufferedReader(
                        new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
                String key = "";
                for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                  key = line.startsWith("Sec-WebSocket-Key:") ? line.substring(18).strip() : key;
                }
                aborted.get(10, TimeUnit.SECONDS);
                client.getOutputStream().write(accept(key).getBytes(StandardCharsets.US_ASCII));
                next.complete(in.read());
              } catch (IOException e) {
                next.complete(-1); // reset: as good
              } catch (Exception e) {
                next.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    connect().abort();
    aborted.complete(true);
    assertThat(next.get(10, TimeUnit.SECONDS)).isEqualTo(-1);
    assertThat(opened).isNotDone();
  }

  @Test
  @DisplayName("HTTP: any status is an answer")
  void http() throws Exception {
    serve(
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 2\r\n\r\n{}",
        (client, out, in) -> {});
    HttpAnswer answer =
        transport
            .get(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/v1/history"), "t")
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS);
    assertThat(answer).isEqualTo(new HttpAnswer(429, "{}", 1_000));
  }
}
