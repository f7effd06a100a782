package dev.holdfast.testkit.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Many WebSocket clients in one thread, each from an address of its own choice within 127/8: all
 * ask at once, those that are let in say hello and stay, and nobody comes again. Prints a line with
 * what became of them every half second; {@code late} are those dropped whose request this process
 * was too busy to send in time. A process of its own, since the limit of open files is one
 * process's.
 *
 * <p>Arguments: port, number of clients, clients per address, second number of the addresses.
 */
public final class StormClient {
  private static final int TICK_MS = 500;
  private static final long PING_MS = 20_000;
  private static final int NAMED = 40;
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(8);
  private static final byte[] MASK = {0, 0, 0, 0};

  private final Selector selector;
  private final int port;
  private final int net;
  private final List<Client> clients = new ArrayList<>();
  private final Map<String, Integer> ends = new TreeMap<>();
  private final List<String> served = new ArrayList<>();
  private int welcomed;
  private int open;
  private int messages;

  private StormClient(int port, int net) throws IOException {
    this.selector = Selector.open();
    this.port = port;
    this.net = net;
  }

  public static void main(String[] args) throws IOException {
    StormClient storm = new StormClient(Integer.parseInt(args[0]), Integer.parseInt(args[3]));
    storm.connectAll(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    storm.run();
  }

  private static final class Client {
    private final int number;
    private final ByteBuffer in = ByteBuffer.allocate(2_048);
    private boolean upgraded;
    private final long bornNanos = System.nanoTime();
    private boolean done;
    private boolean late;

    Client(int number) {
      this.number = number;
    }

    /** It asks only now, which may be too late for the edge: its socket was open all the time. */
    void asks() {
      late = System.nanoTime() - bornNanos > LATE_NANOS;
    }
  }

  private void connectAll(int count, int perAddress) throws IOException {
    for (int i = 0; i < count; i++) {
      int address = i / perAddress;
      byte[] from = {127, (byte) net, (byte) (address / 250), (byte) (1 + address % 250)};
      SocketChannel channel = SocketChannel.open();
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(new InetSocketAddress(InetAddress.getByAddress(from), 0));
      Client client = new Client(i);
      clients.add(client);
      channel.register(selector, SelectionKey.OP_CONNECT, client);
      channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      open++;
      if (i % 100 == 0) {
        selector.selectNow(this::ready);
      }
    }
  }

  private void run() throws IOException {
    long nextTick = System.nanoTime();
    long nextPing = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PING_MS);
    while (true) {
      selector.select(this::ready, 100);
      long now = System.nanoTime();
      if (now - nextTick >= 0) {
        nextTick = now + TimeUnit.MILLISECONDS.toNanos(TICK_MS);
        print();
      }
      if (now - nextPing >= 0) {
        nextPing = now + TimeUnit.MILLISECONDS.toNanos(PING_MS);
        pingAll();
      }
    }
  }

  private void print() {
    int undecided = clients.size() - welcomed;
    for (int count : ends.values()) {
      undecided -= count;
    }
    System.out.println(
        "undecided="
            + undecided
            + " welcomed="
            + welcomed
            + " open="
            + open
            + " messages="
            + messages
            + " ends="
            + ends
            + " served="
            + String.join(",", served));
  }

  private void pingAll() {
    for (SelectionKey key : selector.keys()) {
      Client client = (Client) key.attachment();
      if (client.upgraded && key.isValid()) {
        write(key, client, frame("ping"));
      }
    }
  }

  private void ready(SelectionKey key) {
    Client client = (Client) key.attachment();
    try {
      SocketChannel channel = (SocketChannel) key.channel();
      if (key.isConnectable() && channel.finishConnect()) {
        key.interestOps(SelectionKey.OP_READ);
        client.asks();
        write(key, client, request());
      } else if (key.isReadable()) {
        read(key, channel, client);
      }
    } catch (IOException e) {
      dropped(key, client);
    }
  }

  private static ByteBuffer request() {
    return StandardCharsets.US_ASCII.encode(
        "GET /v1/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Protocol: holdfast.v1\r\n\r\n");
  }

  /** A masked text frame; the mask is zero, which is legal and cheap. */
  private static ByteBuffer frame(String text) {
    byte[] body = text.getBytes(StandardCharsets.US_ASCII);
    if (body.length > 125) {
      throw new IllegalArgumentException(text);
    }
    return ByteBuffer.allocate(6 + body.length)
        .put((byte) 0x81)
        .put((byte) (0x80 | body.length))
        .put(MASK)
        .put(body)
        .flip();
  }

  /** A fresh socket's buffer has room for the little that these clients say. */
  private void write(SelectionKey key, Client client, ByteBuffer bytes) {
    try {
      ((SocketChannel) key.channel()).write(bytes);
      if (bytes.hasRemaining()) {
        end(key, client, "stuck");
      }
    } catch (IOException e) {
      dropped(key, client);
    }
  }

  private void dropped(SelectionKey key, Client client) {
    end(key, client, client.late ? "late" : "dropped");
  }

  private void read(SelectionKey key, SocketChannel channel, Client client) throws IOException {
    int read = channel.read(client.in);
    client.in.flip();
    if (!client.upgraded) {
      answer(key, client);
    }
    while (client.upgraded && key.isValid() && nextFrame(key, client)) {
      // each call takes one frame
    }
    client.in.compact();
    if (read < 0 && key.isValid()) {
      dropped(key, client);
    }
  }

  private void answer(SelectionKey key, Client client) {
    String text = text(client.in, 0, client.in.limit());
    int head = text.indexOf("\r\n\r\n");
    if (head < 0) {
      return;
    }
    String status = text.substring(9, 12);
    if (!status.equals("101")) {
      boolean later = text.contains("Retry-After: ");
      end(key, client, status + (later ? "" : "-without-retry-after"));
      return;
    }
    client.in.position(head + 4);
    client.upgraded = true;
    write(key, client, frame("{\"type\":\"hello\",\"clientId\":\"" + name(client) + "\"}"));
  }

  private String name(Client client) {
    return "storm-" + net + "-" + client.number;
  }

  private boolean nextFrame(SelectionKey key, Client client) {
    ByteBuffer in = client.in;
    if (in.remaining() < 2) {
      return false;
    }
    int at = in.position();
    int opcode = in.get(at) & 0x0f;
    int length = in.get(at + 1) & 0x7f;
    int body = at + 2;
    if (length == 126) {
      if (in.remaining() < 4) {
        return false;
      }
      length = in.getShort(at + 2) & 0xffff;
      body = at + 4;
    }
    if (in.limit() < body + length) {
      return false;
    }
    in.position(body + length);
    if (opcode == 8) {
      end(key, client, "close-" + (length < 2 ? 1005 : in.getShort(body) & 0xffff));
    } else if (opcode == 1) {
      took(client, text(in, body, length));
    }
    return true;
  }

  private static String text(ByteBuffer in, int from, int length) {
    byte[] bytes = new byte[length];
    in.get(from, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private void took(Client client, String text) {
    if (text.startsWith("{\"type\":\"welcome\"") && !client.done) {
      client.done = true;
      welcomed++;
      if (served.size() < NAMED) {
        served.add(name(client));
      }
    } else if (text.startsWith("{\"type\":\"message\"")) {
      messages++;
    }
  }

  private void end(SelectionKey key, Client client, String how) {
    key.cancel();
    open--;
    // One that was welcomed counts there and, should it be lost, as lost.
    ends.merge(client.done ? "lost-" + how : how, 1, Integer::sum);
    if (client.done) {
      welcomed--;
    }
    try {
      key.channel().close();
    } catch (IOException e) {
      ends.merge("unclosed", 1, Integer::sum);
    }
  }
}
