package dev.holdfast.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A TCP proxy on loopback that misbehaves on demand: cuts every connection with RST, freezes (takes
 * connections and bytes, passes nothing on), delays.
 */
public final class FlakyProxy implements AutoCloseable {
  private static final int CHUNK = 16 * 1024;
  private static final int CONNECT_TIMEOUT_MS = 5_000;

  private final ServerSocket server;
  private final InetSocketAddress upstream;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final Object gate = new Object();
  private boolean frozen;
  private boolean closed;
  private volatile boolean refusing;
  private volatile long delayNanos;

  private record Link(Socket client, Socket server) {
    /** Linger 0 makes close send RST, as a vanished network would not but a crashed host does. */
    void cut() {
      reset(client);
      reset(server);
    }

    private static void reset(Socket socket) {
      try {
        socket.setSoLinger(true, 0);
        socket.close();
      } catch (IOException e) {
        return; // closed already
      }
    }
  }

  public FlakyProxy(String host, int port) {
    this.upstream = new InetSocketAddress(host, port);
    try {
      this.server = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon("flaky-accept", this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Cuts every connection with RST; new ones are taken as before. */
  public void cut() {
    links.forEach(Link::cut);
  }

  /** Cuts every connection, and new ones as soon as they come, until {@link #thaw}. */
  public void refuse() {
    refusing = true;
    cut();
  }

  /** From now on takes connections and bytes but passes nothing on, in either direction. */
  public void freeze() {
    synchronized (gate) {
      frozen = true;
    }
  }

  /** Ends {@link #freeze} and {@link #refuse}; what was held goes on, in order. */
  public void thaw() {
    refusing = false;
    synchronized (gate) {
      frozen = false;
      gate.notifyAll();
    }
  }

  /** Holds each chunk for {@code delay} before it goes on, in each direction. */
  public void delay(Duration delay) {
    delayNanos = delay.toNanos();
  }

  public int connections() {
    return links.size();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        daemon("flaky-link", () -> link(client));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void link(Socket client) {
    Socket out = new Socket();
    Link link = new Link(client, out);
    links.add(link);
    try {
      passGate();
      if (refusing) {
        throw new IOException("refusing");
      }
      client.setTcpNoDelay(true);
      out.setTcpNoDelay(true);
      out.connect(upstream, CONNECT_TIMEOUT_MS);
      daemon("flaky-down", () -> pump(link, out, client));
      pump(link, client, out);
    } catch (IOException e) {
      end(link);
    }
  }

  private void pump(Link link, Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK];
    try {
      for (int n = from.getInputStream().read(chunk);
          n >= 0;
          n = from.getInputStream().read(chunk)) {
        long delay = delayNanos;
        if (delay > 0) {
          TimeUnit.NANOSECONDS.sleep(delay);
        }
        passGate();
        to.getOutputStream().write(chunk, 0, n);
      }
      to.shutdownOutput();
      if (from.isOutputShutdown()) {
        finish(link);
      }
    } catch (IOException e) {
      end(link);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end(link);
    }
  }

  /** Both sides said their last byte: no RST, which could overtake it. */
  private void finish(Link link) throws IOException {
    links.remove(link);
    link.client().close();
    link.server().close();
  }

  private void end(Link link) {
    if (links.remove(link)) {
      link.cut();
    }
  }

  private void passGate() throws IOException {
    synchronized (gate) {
      while (frozen && !closed) {
        try {
          gate.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IOException("interrupted", e);
        }
      }
      if (closed) {
        throw new IOException("proxy closed");
      }
    }
  }

  private static void daemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    synchronized (gate) {
      closed = true;
      gate.notifyAll();
    }
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      links.forEach(this::end);
    }
  }
}
