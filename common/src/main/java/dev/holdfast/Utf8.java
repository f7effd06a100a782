package dev.holdfast;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Whether bytes and texts are what a WebSocket may carry. JSON parsers let malformed UTF-8 through
 * inside strings; a client that was sent it would have to close with 1007, at each resume again.
 */
public final class Utf8 {
  private static final ThreadLocal<Checker> CHECKER = ThreadLocal.withInitial(Checker::new);

  private Utf8() {}

  /** Whether {@code bytes} are well-formed UTF-8. */
  public static boolean valid(byte[] bytes) {
    return CHECKER.get().valid(bytes);
  }

  /** Whether {@code text} has no half of a surrogate pair alone, so that UTF-8 keeps it. */
  public static boolean encodable(String text) {
    return CHECKER.get().encoder.canEncode(text);
  }

  private static final class Checker {
    private final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    private final CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
    private final CharBuffer sink = CharBuffer.allocate(4096);

    boolean valid(byte[] bytes) {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      decoder.reset();
      CoderResult result;
      do {
        sink.clear();
        result = decoder.decode(in, sink, true);
      } while (result.isOverflow());
      return !result.isError();
    }
  }
}
