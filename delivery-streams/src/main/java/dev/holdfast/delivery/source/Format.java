package dev.holdfast.delivery.source;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.Utf8;
import dev.holdfast.record.BadRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/** How the value of a source's record becomes the payload of a message. */
public enum Format {
  /** The value is one JSON value and is passed on as it is written. */
  JSON {
    @Override
    RawJson payload(byte[] value) throws BadRecord {
      return json(value);
    }
  },

  /** The value is UTF-8 and becomes a JSON string. */
  TEXT {
    @Override
    RawJson payload(byte[] value) throws BadRecord {
      utf8(value);
      String text = new String(value, StandardCharsets.UTF_8);
      return RawJson.of(JsonIo.write(out -> out.writeString(text)));
    }
  },

  /** Any bytes; they become a JSON string of standard base64 with padding. */
  BASE64 {
    @Override
    RawJson payload(byte[] value) {
      return RawJson.of('"' + Base64.getEncoder().encodeToString(value) + '"');
    }
  };

  private static final String BAD_VALUE = "bad_value";

  /**
   * The payload.
   *
   * @throws BadRecord {@code bad_value}, without repeating the value
   */
  abstract RawJson payload(byte[] value) throws BadRecord;

  private static void utf8(byte[] value) throws BadRecord {
    if (!Utf8.valid(value)) {
      throw new BadRecord(BAD_VALUE, "the value is not UTF-8");
    }
  }

  private static RawJson json(byte[] value) throws BadRecord {
    utf8(value);
    try (JsonParser in = JsonIo.parser(value)) {
      if (in.nextToken() == null) {
        throw new BadRecord(BAD_VALUE, "the value is empty, not JSON");
      }
      int from = (int) in.currentTokenLocation().getByteOffset();
      // In the log the payload lies one level deeper than here.
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
}
