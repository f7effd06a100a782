package dev.holdfast.standalone.relay;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One connection through a {@link Relay}: two sockets, and whether anything passes now. */
final class Link {
  /** A link that nobody thaws is cut after this: its client has long gone elsewhere. */
  static final long MOST_FROZEN_MS = 120_000;

  private final String edge;
  private final @Nullable String tag;
  private final Socket client;
  private final Socket server;
  private final long beganNanos = System.nanoTime();
  private final Object gate = new Object();
  private boolean frozen;
  private boolean ended;
  private final AtomicLong bytesUp = new AtomicLong();
  private final AtomicLong bytesDown = new AtomicLong();

  /**
   * @param tag the name that the client gave it; null without
   * @param server connected
   */
  Link(String edge, @Nullable String tag, Socket client, Socket server) {
    this.edge = edge;
    this.tag = tag;
    this.client = client;
    this.server = server;
  }

  String edge() {
    return edge;
  }

  @Nullable String tag() {
    return tag;
  }

  boolean frozen() {
    synchronized (gate) {
      return frozen;
    }
  }

  /** Bytes from the client that went on. */
  long bytesUp() {
    return bytesUp.get();
  }

  /** Bytes from the server that went on. */
  long bytesDown() {
    return bytesDown.get();
  }

  long ageMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
  }

  /** Both sides see a TCP reset, now. */
  void cut() {
    synchronized (gate) {
      ended = true;
      gate.notifyAll();
    }
    reset(client);
    reset(server);
  }

  /** Nothing passes any more in either direction, and neither side hears of it. */
  void freeze() {
    synchronized (gate) {
      frozen = true;
    }
  }

  /** What was held goes on, in order. */
  void thaw() {
    synchronized (gate) {
      frozen = false;
      gate.notifyAll();
    }
  }

  /** Passes the client's bytes on until it ends; {@code head} is what was read of them before. */
  void pumpUp(byte[] head, int length) throws IOException {
    awaitThaw();
    bytesUp.addAndGet(length);
    server.getOutputStream().write(head, 0, length);
    pump(client, server, bytesUp);
  }

  /** Passes the server's bytes on until it ends. */
  void pumpDown() throws IOException {
    pump(server, client, bytesDown);
  }

  private void pump(Socket from, Socket to, AtomicLong passed) throws IOException {
    byte[] chunk = new byte[Relay.CHUNK_BYTES];
    for (int n = from.getInputStream().read(chunk); n >= 0; n = from.getInputStream().read(chunk)) {
      awaitThaw();
      passed.addAndGet(n); // before: who has heard them must find them counted
      to.getOutputStream().write(chunk, 0, n);
    }
    awaitThaw();
    to.shutdownOutput();
  }

  private void awaitThaw() throws IOException {
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MOST_FROZEN_MS);
    synchronized (gate) {
      while (frozen && !ended) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
        if (leftMs <= 0) {
          throw new IOException("frozen for too long");
        }
        try {
          gate.wait(leftMs);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IOException("interrupted", e);
        }
      }
      if (ended) {
        throw new IOException("cut");
      }
    }
  }

  /** Closes with RST, as a crashed host's network stack does. */
  static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // Closed already.
    }
  }
}
