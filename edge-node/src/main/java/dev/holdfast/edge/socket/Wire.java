package dev.holdfast.edge.socket;

import dev.holdfast.frame.ServerFrames;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A batch as it goes over the wire (RFC 6455, 5.2): what a server sends is not masked, so a frame
 * is two, four or ten bytes of head and its body, the same for everybody who is sent it. A batch is
 * a row of bytes that can be made again from any place in it, so that one which the socket took in
 * part needs no copy.
 */
final class Wire {
  /** The longest head. */
  static final int MOST_HEAD = 10;

  private static final int TEXT = 0x81;
  private static final int PING = 0x89;
  private static final int PONG = 0x8a;
  private static final int SHORT_BODY = 125;
  private static final int PONG_BYTES = 2 + ServerFrames.PONG.length;

  private Wire() {}

  /** Bytes of all of a batch but its close. */
  static long bytes(OutboundQueue.Batch batch) {
    long bytes = controlBytes(batch);
    List<byte[]> frames = batch.frames();
    for (int i = 0; i < frames.size(); i++) {
      int body = frames.get(i).length;
      bytes += headBytes(body) + body;
    }
    return bytes;
  }

  /**
   * Puts as many bytes of a batch as fit.
   *
   * @param from how many of the batch's bytes come before the first that is put
   */
  static void put(OutboundQueue.Batch batch, long from, ByteBuffer into) {
    long at = controlBytes(batch);
    if (from < at) {
      putControl(batch, (int) from, (int) at, into);
    }
    List<byte[]> frames = batch.frames();
    for (int i = 0; i < frames.size() && into.hasRemaining(); i++) {
      byte[] body = frames.get(i);
      int head = headBytes(body.length);
      if (from <= at && into.remaining() >= head) {
        putHead(TEXT, body.length, into);
        into.put(body, 0, Math.min(body.length, into.remaining()));
      } else if (from < at + head + body.length) {
        putRest(body, head, (int) Math.max(0, from - at), into);
      }
      at += head + body.length;
    }
  }

  /** A frame of which some bytes are left out. */
  private static void putRest(byte[] body, int head, int skip, ByteBuffer into) {
    if (skip < head) {
      ByteBuffer whole = ByteBuffer.allocate(MOST_HEAD);
      putHead(TEXT, body.length, whole);
      into.put(whole.array(), skip, Math.min(head - skip, into.remaining()));
    }
    int from = Math.max(0, skip - head);
    into.put(body, from, Math.min(body.length - from, into.remaining()));
  }

  private static int controlBytes(OutboundQueue.Batch batch) {
    byte[] answer = batch.protocolPong();
    return (batch.ping() ? 2 : 0)
        + (answer == null ? 0 : 2 + answer.length)
        + batch.pongs() * PONG_BYTES;
  }

  private static void putControl(OutboundQueue.Batch batch, int from, int end, ByteBuffer into) {
    if (from == 0 && into.remaining() >= end) {
      putControl(batch, into);
    } else {
      ByteBuffer whole = ByteBuffer.allocate(end);
      putControl(batch, whole);
      into.put(whole.array(), from, Math.min(end - from, into.remaining()));
    }
  }

  private static void putControl(OutboundQueue.Batch batch, ByteBuffer into) {
    if (batch.ping()) {
      putHead(PING, 0, into);
    }
    byte[] answer = batch.protocolPong();
    if (answer != null) {
      putHead(PONG, answer.length, into);
      into.put(answer);
    }
    for (int i = 0; i < batch.pongs(); i++) {
      putHead(TEXT, ServerFrames.PONG.length, into);
      into.put(ServerFrames.PONG);
    }
  }

  private static int headBytes(int body) {
    return body <= SHORT_BODY ? 2 : body <= 0xffff ? 4 : MOST_HEAD;
  }

  private static void putHead(int first, int body, ByteBuffer into) {
    into.put((byte) first);
    switch (headBytes(body)) {
      case 2 -> into.put((byte) body);
      case 4 -> into.put((byte) 126).putShort((short) body);
      default -> into.put((byte) 127).putLong(body);
    }
  }
}
