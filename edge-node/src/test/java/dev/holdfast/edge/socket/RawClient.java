package dev.holdfast.edge.socket;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A WebSocket client that can also say what no library would. */
final class RawClient implements Closeable {
  static final int TEXT = 1;
  static final int BINARY = 2;
  static final int CLOSE = 8;
  static final int PING = 9;
  static final int PONG = 10;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final List<String> head = new ArrayList<>();

  private RawClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(10_000);
    in = new DataInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** A TCP connection on which nothing was said yet. */
  static RawClient connect(int port) throws IOException {
    return new RawClient(loopback(port));
  }

  /** Asks for the upgrade; the answer's first line says whether it was given. */
  static RawClient ask(int port, String... headers) throws IOException {
    return upgraded(loopback(port), headers);
  }

  private static Socket loopback(int port) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  /** An upgraded connection over a socket of any kind. */
  static RawClient over(Socket socket) throws IOException {
    return upgraded(socket, "Sec-WebSocket-Protocol: holdfast.v1");
  }

  private static RawClient upgraded(Socket socket, String... headers) throws IOException {
    RawClient client = new RawClient(socket);
    StringBuilder request = new StringBuilder("GET /v1/ws HTTP/1.1\r\nHost: localhost\r\n");
    request.append("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
    request.append("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    client.raw(request.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
    client.readHead();
    return client;
  }

  /** Reads the answer to a request up to its body; an empty head when the connection ended. */
  void readHead() throws IOException {
    head.clear();
    String line = line();
    while (!line.isEmpty()) {
      head.add(line);
      line = line();
    }
  }

  /** Whether the server ends the connection; what it sent before is thrown away. */
  boolean ends() throws IOException {
    try {
      while (in.read() >= 0) {
        // Whatever it says.
      }
      return true;
    } catch (java.net.SocketTimeoutException e) {
      return false;
    } catch (java.net.SocketException e) {
      return true; // a reset
    }
  }

  /** An upgraded connection. */
  static RawClient open(int port) throws IOException {
    RawClient client = ask(port, "Sec-WebSocket-Protocol: holdfast.v1");
    if (client.status() != 101) {
      throw new IOException(client.head.toString());
    }
    return client;
  }

  /** An upgraded connection that has its welcome. */
  static RawClient hello(int port, String clientId) throws IOException {
    RawClient client = open(port);
    client.greet(clientId);
    return client;
  }

  /** Says hello and takes the welcome. */
  void greet(String clientId) throws IOException {
    text("{\"type\":\"hello\",\"clientId\":\"" + clientId + "\",\"lastSeq\":0}");
    String welcome = next();
    if (!welcome.contains("\"welcome\"")) {
      throw new IOException(welcome);
    }
  }

  int status() {
    return Integer.parseInt(head.get(0).split(" ", -1)[1]);
  }

  List<String> head() {
    return head;
  }

  void text(String text) throws IOException {
    frame(true, TEXT, text.getBytes(StandardCharsets.UTF_8));
  }

  void frame(boolean last, int opcode, byte[] body) throws IOException {
    raw(encode((last ? 0x80 : 0) | opcode, true, body));
  }

  /** Any bytes. */
  void raw(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /**
   * One frame as it goes over the wire.
   *
   * @param first its first byte: FIN, reserved bits, opcode
   */
  static byte[] encode(int first, boolean masked, byte[] body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int flag = masked ? 0x80 : 0;
    bytes.write(first);
    if (body.length < 126) {
      bytes.write(flag | body.length);
    } else if (body.length < 65_536) {
      bytes.write(flag | 126);
      bytes.write(body.length >> 8);
      bytes.write(body.length);
    } else {
      bytes.write(flag | 127);
      for (int shift = 56; shift >= 0; shift -= 8) {
        bytes.write((int) ((long) body.length >> shift));
      }
    }
    byte[] mask = {1, 2, 3, 4};
    if (masked) {
      bytes.writeBytes(mask);
    }
    for (int i = 0; i < body.length; i++) {
      bytes.write(masked ? body[i] ^ mask[i % 4] : body[i]);
    }
    return bytes.toByteArray();
  }

  /** The next text frame, {@code close NNNN} for a close, {@code end} for the end. */
  String next() throws IOException {
    int first = in.read();
    if (first < 0) {
      return "end";
    }
    long length = in.readUnsignedByte();
    if (length == 126) {
      length = in.readUnsignedShort();
    } else if (length == 127) {
      length = in.readLong();
    }
    byte[] body = in.readNBytes((int) length);
    int opcode = first & 0x0f;
    if (opcode == CLOSE) {
      return body.length < 2 ? "close" : "close " + (((body[0] & 0xff) << 8) | (body[1] & 0xff));
    }
    return opcode == TEXT
        ? new String(body, StandardCharsets.UTF_8)
        : "opcode " + opcode + " " + new String(body, StandardCharsets.UTF_8);
  }

  /** What the server sends until it ends the connection. */
  List<String> rest() throws IOException {
    List<String> all = new ArrayList<>();
    try {
      String next = next();
      while (!next.equals("end")) {
        all.add(next);
        if (next.startsWith("close")) {
          return all;
        }
        next = next();
      }
    } catch (java.net.SocketException e) {
      all.add("reset");
    }
    return all;
  }

  Socket socket() {
    return socket;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    int c = in.read();
    while (c != '\n' && c >= 0) {
      if (c != '\r') {
        line.append((char) c);
      }
      c = in.read();
    }
    return line.toString();
  }
}
