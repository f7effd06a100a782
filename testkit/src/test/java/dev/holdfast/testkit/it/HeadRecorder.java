package dev.holdfast.testkit.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Answers every request with 200 and keeps the heads of those for {@code /v1/ws}. */
final class HeadRecorder implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final BlockingQueue<List<String>> heads = new LinkedBlockingQueue<>();

  HeadRecorder() throws IOException {
    Thread thread = new Thread(this::serve, "head-recorder");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  List<String> next() throws InterruptedException {
    List<String> head = heads.poll(10, TimeUnit.SECONDS);
    if (head == null) {
      throw new AssertionError("no request came");
    }
    return head;
  }

  private void serve() {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        List<String> head = new ArrayList<>();
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
          head.add(line);
        }
        socket
            .getOutputStream()
            .write(
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
        if (!head.isEmpty() && head.get(0).contains("/v1/ws")) {
          heads.add(head);
        }
      } catch (IOException e) {
        // A probe that left, or the end of the test.
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
