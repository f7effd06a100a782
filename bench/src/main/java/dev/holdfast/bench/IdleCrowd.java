package dev.holdfast.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Thousands of clients that say hello and then only send their heartbeats, on one thread and with
 * little more than a socket each. Not thread-safe.
 */
final class IdleCrowd implements AutoCloseable {
  private static final byte[] NOTHING = new byte[0];
  private static final byte[] MASK = {1, 2, 3, 4};
  private static final int TEXT = 0x81;
  private static final int PING = 0x89;
  private static final int PONG = 0x8a;
  private static final int MOST_AWAITING = 200;

  private static final class Client {
    private final SocketChannel channel;
    private final String name;
    private byte[] unread = NOTHING;
    private boolean upgraded;
    private boolean welcomed;
    private long pingAt;

    Client(SocketChannel channel, String name) {
      this.channel = channel;
      this.name = name;
    }
  }

  private final Selector selector;
  private final InetSocketAddress edge;
  private final long heartbeatNanos;
  private final List<Client> clients = new ArrayList<>();
  private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
  private int welcomed;
  private int ended;
  private int nextToPing;
  private long pongs;
  private long pings;

  IdleCrowd(InetSocketAddress edge, long heartbeatMs) throws IOException {
    this.selector = Selector.open();
    this.edge = edge;
    this.heartbeatNanos = TimeUnit.MILLISECONDS.toNanos(heartbeatMs);
  }

  /** Connects until {@code count} clients have their welcome. */
  void connect(int count) throws IOException {
    while (welcomed + ended < count) {
      while (clients.size() < count && clients.size() - welcomed - ended < MOST_AWAITING) {
        open("idle" + clients.size());
      }
      turn(10);
    }
  }

  /** Keeps them alive for so long. */
  void idle(int seconds) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < end) {
      turn(10);
    }
  }

  String text() {
    return welcomed + " welcomed, " + ended + " ended, " + pings + " pings, " + pongs + " pongs";
  }

  long pings() {
    return pings;
  }

  private void open(String name) throws IOException {
    SocketChannel channel = SocketChannel.open(edge);
    channel.configureBlocking(false);
    Client client = new Client(channel, name);
    clients.add(client);
    channel.register(selector, SelectionKey.OP_READ, client);
    write(
        client,
        ("GET /v1/ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
  }

  private void turn(long ms) throws IOException {
    selector.select(ms);
    Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
    while (ready.hasNext()) {
      SelectionKey key = ready.next();
      ready.remove();
      if (key.attachment() instanceof Client client) {
        read(key, client);
      }
    }
    heartbeats();
  }

  /** Their pings are due in the order in which they connected. */
  private void heartbeats() throws IOException {
    long now = System.nanoTime();
    for (int looked = 0; looked < clients.size(); looked++) {
      Client client = clients.get(nextToPing % clients.size());
      if (client.channel.isOpen() && (!client.welcomed || client.pingAt - now > 0)) {
        return;
      }
      if (client.channel.isOpen()) {
        write(client, frame(TEXT, "ping".getBytes(StandardCharsets.US_ASCII)));
        pings++;
        client.pingAt = now + heartbeatNanos;
      }
      nextToPing = (nextToPing + 1) % clients.size();
    }
  }

  private void read(SelectionKey key, Client client) throws IOException {
    buffer.clear().put(client.unread);
    int read;
    try {
      read = client.channel.read(buffer);
    } catch (IOException e) {
      read = -1; // a reset
    }
    if (read < 0) {
      key.cancel();
      client.channel.close();
      ended++;
      welcomed -= client.welcomed ? 1 : 0;
      return;
    }
    buffer.flip();
    take(client);
    client.unread = buffer.hasRemaining() ? new byte[buffer.remaining()] : NOTHING;
    buffer.get(client.unread);
  }

  private void take(Client client) throws IOException {
    if (!client.upgraded) {
      String head = StandardCharsets.US_ASCII.decode(buffer.duplicate()).toString();
      int end = head.indexOf("\r\n\r\n");
      if (end < 0) {
        return;
      }
      if (!head.startsWith("HTTP/1.1 101")) {
        throw new IOException(head.substring(0, end));
      }
      buffer.position(buffer.position() + end + 4);
      client.upgraded = true;
      String hello = "{\"type\":\"hello\",\"clientId\":\"" + client.name + "\",\"lastSeq\":0}";
      write(client, frame(TEXT, hello.getBytes(StandardCharsets.US_ASCII)));
    }
    while (frame(client)) {
      // one after the other
    }
  }

  private boolean frame(Client client) throws IOException {
    buffer.mark();
    if (buffer.remaining() < 2) {
      return false;
    }
    int first = buffer.get() & 0xff;
    int length = buffer.get() & 0x7f;
    if (length == 126 && buffer.remaining() >= 2) {
      length = buffer.getShort() & 0xffff;
    }
    if (buffer.remaining() < length) {
      buffer.reset();
      return false;
    }
    byte[] body = new byte[length];
    buffer.get(body);
    if (first == PING) {
      write(client, frame(PONG, body));
    } else if (first == TEXT && length == 4) {
      pongs++;
    } else if (!client.welcomed && first == TEXT) {
      client.welcomed = true;
      client.pingAt = System.nanoTime() + heartbeatNanos;
      welcomed++;
    }
    return true;
  }

  private static byte[] frame(int first, byte[] body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length + 6);
    bytes.write(first);
    bytes.write(0x80 | body.length);
    bytes.writeBytes(MASK);
    for (int i = 0; i < body.length; i++) {
      bytes.write(body[i] ^ MASK[i % MASK.length]);
    }
    return bytes.toByteArray();
  }

  private static void write(Client client, byte[] bytes) throws IOException {
    ByteBuffer out = ByteBuffer.wrap(bytes);
    while (out.hasRemaining()) {
      int unused = client.channel.write(out); // an idle client's socket takes it at once
    }
  }

  @Override
  public void close() throws IOException {
    for (Client client : clients) {
      client.channel.close();
    }
    selector.close();
  }
}
