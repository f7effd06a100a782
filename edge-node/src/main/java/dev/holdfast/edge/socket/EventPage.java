package dev.holdfast.edge.socket;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer about a channel's past. Its size is known before it is written, once, into
 * pieces that the heap has room for anywhere: arrays of many hundred KiB are a burden of their own.
 */
final class EventPage {
  private static final int PIECE = 64 * 1024;

  private final List<byte[]> parts;
  private final int size;

  /**
   * @param events frames, in order
   * @param lost why they do not begin where they should; null: they do
   */
  EventPage(List<byte[]> events, String position, boolean more, @Nullable String lost) {
    parts = new ArrayList<>(2 * events.size() + 2);
    byte[] comma = utf8(",");
    parts.add(utf8("{\"events\":["));
    for (int i = 0; i < events.size(); i++) {
      if (i > 0) {
        parts.add(comma);
      }
      parts.add(events.get(i));
    }
    String end = lost == null ? "}" : ",\"lost\":\"" + lost + "\"}";
    parts.add(utf8("],\"position\":\"" + position + "\",\"more\":" + more + end));
    size = parts.stream().mapToInt(part -> part.length).sum();
  }

  /** Its bytes. */
  int size() {
    return size;
  }

  /** The body, to be sent once. */
  ByteBuffer[] write() {
    ByteBuffer[] pieces = new ByteBuffer[(size + PIECE - 1) / PIECE];
    for (int i = 0; i < pieces.length; i++) {
      pieces[i] = ByteBuffer.allocate(Math.min(PIECE, size - i * PIECE));
    }
    int at = 0;
    for (byte[] part : parts) {
      int from = 0;
      while (from < part.length) {
        if (!pieces[at].hasRemaining()) {
          at++;
        }
        int some = Math.min(part.length - from, pieces[at].remaining());
        pieces[at].put(part, from, some);
        from += some;
      }
    }
    for (ByteBuffer piece : pieces) {
      piece.flip();
    }
    return pieces;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
