package dev.holdfast.standalone.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port on loopback from which bytes go on to one edge and back, two threads a connection. A
 * client names its connection in the query of the first request line ({@code /v1/ws?tag=alice-1});
 * by that name {@link Links} finds it again.
 */
public final class Relay implements AutoCloseable {
  static final int CHUNK_BYTES = 16 * 1024;

  /** Most bytes of a request line. */
  private static final int HEAD_BYTES = 4 * 1024;

  /** A client that says nothing for so long loses its place: browsers connect on suspicion. */
  private static final int HEAD_MS = 10_000;

  private static final int CONNECT_MS = 2_000;
  private static final int BACKLOG = 128;
  private static final Pattern TAG = Pattern.compile("[?&]tag=([A-Za-z0-9._~-]{1,64})(?=[& ])");
  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  private final String edge;
  private final Links links;
  private final IntSupplier upstream;
  private final ServerSocket server;
  private final AtomicInteger places = new AtomicInteger();

  /**
   * Binds a free port of loopback and begins to accept.
   *
   * @param edge the name of the edge, for views
   * @param upstream the edge's port, asked anew for each connection
   */
  public Relay(String edge, Links links, IntSupplier upstream) {
    this.edge = edge;
    this.links = links;
    this.upstream = upstream;
    try {
      this.server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen on loopback for the relay of " + edge, e);
    }
    daemon("accept", this::accept);
  }

  /** The port that clients connect to. */
  public int port() {
    return server.getLocalPort();
  }

  /** Takes no more and resets what is open. */
  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("the relay of {} did not close in order", edge);
    }
    links.cutAll(edge);
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        if (places.incrementAndGet() > Links.MOST_PER_RELAY) {
          places.decrementAndGet();
          Link.reset(client);
        } else {
          daemon("up", () -> serve(client));
        }
      } catch (IOException e) {
        if (!server.isClosed()) {
          LOG.atWarn().setCause(e).log("the relay of {} could not accept", edge);
        }
      }
    }
  }

  private void serve(Socket client) {
    Socket out = new Socket();
    try {
      byte[] head = new byte[HEAD_BYTES];
      int length = readLine(client, head);
      String tag = tag(head, length);
      if (links.isOffline(tag)) {
        throw new IOException("offline");
      }
      client.setTcpNoDelay(true);
      out.setTcpNoDelay(true);
      out.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), upstream.getAsInt()), CONNECT_MS);
      pass(new Link(edge, tag, client, out), head, length);
      client.close();
      out.close();
    } catch (IOException e) {
      LOG.atDebug().log("a connection through the relay of {} ended: {}", edge, e.toString());
      Link.reset(client); // whoever broke it, the other side hears of it
      Link.reset(out);
    } finally {
      places.decrementAndGet();
    }
  }

  /** Returns once both directions have ended in order; throws when one of them broke. */
  private void pass(Link link, byte[] head, int length) throws IOException {
    links.add(link);
    try {
      Thread down =
          daemon(
              "down",
              () -> {
                try {
                  link.pumpDown();
                } catch (IOException e) {
                  link.cut();
                }
              });
      link.pumpUp(head, length);
      down.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      links.remove(link);
    }
  }

  /** Reads up to the end of the first line, and whatever came with it. */
  private static int readLine(Socket client, byte[] into) throws IOException {
    client.setSoTimeout(HEAD_MS);
    InputStream in = client.getInputStream();
    int length = 0;
    while (length < into.length && indexOfLineEnd(into, length) < 0) {
      int n = in.read(into, length, into.length - length);
      if (n < 0) {
        throw new IOException("no request");
      }
      length += n;
    }
    client.setSoTimeout(0);
    return length;
  }

  private static int indexOfLineEnd(byte[] bytes, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private static @Nullable String tag(byte[] head, int length) {
    int end = indexOfLineEnd(head, length);
    String line = new String(head, 0, end < 0 ? length : end, StandardCharsets.ISO_8859_1);
    Matcher matcher = TAG.matcher(line);
    return matcher.find() ? matcher.group(1) : null;
  }

  private Thread daemon(String what, Runnable body) {
    Thread thread = new Thread(body, "holdfast-relay-" + edge + "-" + what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
