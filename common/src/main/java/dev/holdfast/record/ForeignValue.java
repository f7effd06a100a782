package dev.holdfast.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.Utf8;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * The value of a record of a topic that is not Holdfast's, as a payload. What is wrong with it is
 * told as {@code bad_value}, without repeating it.
 */
public final class ForeignValue {
  private static final String BAD_VALUE = "bad_value";

  private ForeignValue() {}

  /**
   * The one JSON value that {@code value} is, as it is written, without blanks around it. Nested at
   * most one level less than is read ({@link JsonIo#MAX_DEPTH}): in a frame or an event it lies one
   * level deeper.
   */
  public static RawJson json(byte[] value) throws BadRecord {
    checkUtf8(value);
    try (JsonParser in = JsonIo.parser(value)) {
      if (in.nextToken() == null) {
        throw new BadRecord(BAD_VALUE, "the value is empty, not JSON");
      }
      int from = (int) in.currentTokenLocation().getByteOffset();
      if (readValue(in) >= JsonIo.MAX_DEPTH) {
        throw new BadRecord(
            BAD_VALUE, "the value: nested deeper than " + (JsonIo.MAX_DEPTH - 1) + " levels");
      }
      int to = (int) in.currentLocation().getByteOffset();
      if (in.nextToken() != null) {
        throw new BadRecord(BAD_VALUE, "the value is more than one JSON value");
      }
      return RawJson.of(Arrays.copyOfRange(value, from, to));
    } catch (IOException e) {
      throw new BadRecord(BAD_VALUE, "the value: " + JsonIo.trouble(e));
    }
  }

  /** Reads to the last token of the value at hand; returns how many levels it has. */
  private static int readValue(JsonParser in) throws IOException {
    int depth = 0;
    int deepest = 0;
    for (JsonToken token = in.currentToken(); token != null; token = in.nextToken()) {
      if (token.isStructStart()) {
        deepest = Math.max(deepest, ++depth);
      } else if (token.isStructEnd()) {
        depth--;
      } else {
        in.finishToken();
      }
      if (depth == 0) {
        break;
      }
    }
    return deepest;
  }

  /** UTF-8 text, as a JSON string. */
  public static RawJson text(byte[] value) throws BadRecord {
    checkUtf8(value);
    String text = new String(value, StandardCharsets.UTF_8);
    return RawJson.of(JsonIo.write(out -> out.writeString(text)));
  }

  /** Any bytes, as a JSON string of standard base64 with padding. */
  public static RawJson base64(byte[] value) {
    return RawJson.of('"' + Base64.getEncoder().encodeToString(value) + '"');
  }

  private static void checkUtf8(byte[] value) throws BadRecord {
    if (!Utf8.valid(value)) {
      throw new BadRecord(BAD_VALUE, "the value is not UTF-8");
    }
  }
}
