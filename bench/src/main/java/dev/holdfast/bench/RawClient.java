package dev.holdfast.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One WebSocket as bytes: upgrades, says one thing, and then hands on the frames that come, where
 * they lie in the buffer. For one thread.
 */
final class RawClient {
  /** Told of each text frame. */
  interface Frames {
    /** The frame's body: {@code length} bytes from {@code at} of {@code in}. */
    void frame(RawClient client, ByteBuffer in, int at, int length) throws IOException;
  }

  private static final Pattern RETRY_AFTER =
      Pattern.compile("\r\nRetry-After: *([1-9][0-9]{0,3})\r\n", Pattern.CASE_INSENSITIVE);

  private static final byte[] NOTHING = new byte[0];
  private static final int TEXT = 0x81;
  private static final int PING = 0x89;
  private static final int PONG = 0x8a;
  private static final int CLOSE = 0x88;
  private static final int MOST_TEXT = 400;

  private final SocketChannel channel;
  private final Listener whose;
  private byte[] unread = NOTHING;
  private boolean upgraded;
  private int retryAfterS;
  private String ending = "";

  RawClient(InetSocketAddress edge, Listener whose) throws IOException {
    this.whose = whose;
    this.channel = SocketChannel.open(edge);
    channel.configureBlocking(false);
    write(
        ByteBuffer.wrap(
            ("GET /v1/ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII)));
  }

  SocketChannel channel() {
    return channel;
  }

  /** Whose connection it is. */
  Listener whose() {
    return whose;
  }

  /** A frame as text; of a long one the beginning. */
  static String text(ByteBuffer in, int at, int length) {
    byte[] bytes = new byte[Math.min(length, MOST_TEXT)];
    in.get(at, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** How the server ended it: code and reason; empty when it did not say. */
  String ending() {
    return ending;
  }

  /** Seconds after which the server would like to see it again, since it is busy; 0: it is not. */
  int retryAfterS() {
    return retryAfterS;
  }

  /** Sends a text frame. */
  void say(String text) throws IOException {
    send(TEXT, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Reads what has come.
   *
   * @param shared room for it, used by one client after the other
   * @return false when the connection is over
   */
  boolean read(ByteBuffer shared, Frames to) throws IOException {
    shared.clear().put(unread);
    int read;
    try {
      read = channel.read(shared);
    } catch (IOException e) {
      read = -1; // a reset
    }
    if (read < 0) {
      channel.close();
      return false;
    }
    shared.flip();
    take(shared, to);
    if (retryAfterS > 0) {
      channel.close();
      return false;
    }
    unread = shared.hasRemaining() ? new byte[shared.remaining()] : NOTHING;
    shared.get(unread);
    return true;
  }

  private void take(ByteBuffer in, Frames to) throws IOException {
    if (!upgraded) {
      String head = StandardCharsets.US_ASCII.decode(in.duplicate()).toString();
      int end = head.indexOf("\r\n\r\n");
      if (end < 0) {
        return;
      }
      if (head.startsWith("HTTP/1.1 503")) {
        Matcher seconds = RETRY_AFTER.matcher(head);
        if (seconds.find()) {
          retryAfterS = Integer.parseInt(seconds.group(1));
          return;
        }
      }
      if (!head.startsWith("HTTP/1.1 101")) {
        throw new IOException(head.substring(0, end));
      }
      in.position(in.position() + end + 4);
      upgraded = true;
      say(whose.wish.hello());
    }
    int at = in.position();
    int limit = in.limit();
    while (limit - at >= 2) {
      int length = in.get(at + 1) & 0x7f;
      int head = length == 126 ? 4 : length == 127 ? 10 : 2;
      if (limit - at < head) {
        break;
      }
      length = head == 4 ? in.getShort(at + 2) & 0xffff : head == 10 ? in.getInt(at + 6) : length;
      if (limit - at < head + length) {
        break;
      }
      one(in, at, head, length, to);
      at += head + length;
    }
    in.position(at);
  }

  private void one(ByteBuffer in, int at, int head, int length, Frames to) throws IOException {
    int first = in.get(at) & 0xff;
    if (first == TEXT) {
      to.frame(this, in, at + head, length);
    } else if (first == PING) {
      byte[] body = new byte[length];
      in.get(at + head, body);
      send(PONG, body);
    } else if (first == CLOSE && length >= 2) {
      byte[] reason = new byte[length - 2];
      in.get(at + head + 2, reason);
      ending = in.getShort(at + head) + " " + new String(reason, StandardCharsets.UTF_8);
    }
  }

  private void send(int first, byte[] body) throws IOException {
    ByteBuffer out = ByteBuffer.allocate(body.length + 8);
    out.put((byte) first);
    if (body.length < 126) {
      out.put((byte) (0x80 | body.length));
    } else {
      out.put((byte) (0x80 | 126)).putShort((short) body.length);
    }
    // A mask of zeros leaves the body as it is.
    write(out.putInt(0).put(body).flip());
  }

  private void write(ByteBuffer out) throws IOException {
    while (out.hasRemaining()) {
      int unused = channel.write(out); // a client that says so little is taken at once
    }
  }

  /** Drops the connection with a reset, as a client that is cut off. */
  void cut() {
    try {
      if (channel.isOpen()) {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
