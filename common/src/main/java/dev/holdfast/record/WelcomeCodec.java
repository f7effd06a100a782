package dev.holdfast.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@link Welcome} as the value of its delivery. */
public final class WelcomeCodec {
  private WelcomeCodec() {}

  public static RawJson write(Welcome w) {
    return RawJson.of(
        JsonIo.write(
            out -> {
              out.writeStartObject();
              out.writeBooleanField("resumed", w.resumed());
              if (w.reason() != null) {
                out.writeStringField("reason", w.reason());
              }
              out.writeStringField("epoch", w.epoch());
              out.writeNumberField("seq", w.seq());
              out.writeNumberField("ackSeq", w.ackSeq());
              out.writeNumberField("unread", w.unread());
              out.writeNumberField("from", w.from());
              out.writeNumberField("resumeTtlMs", w.resumeTtlMs());
              out.writeNumberField("maxBacklog", w.maxBacklog());
              out.writeNumberField("window", w.window());
              out.writeNumberField("windowBytes", w.windowBytes());
              out.writeNumberField("dedupWindowMs", w.dedupWindowMs());
              out.writeEndObject();
            }));
  }

  /**
   * @throws BadRecord when it is no welcome
   */
  public static Welcome read(byte[] value) throws BadRecord {
    Map<String, Long> numbers = new HashMap<>();
    String reason = null;
    String epoch = "";
    boolean resumed = false;
    try (JsonParser in = JsonIo.parser(value)) {
      in.nextToken();
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        JsonToken token = in.nextToken();
        if (token == JsonToken.VALUE_NUMBER_INT) {
          numbers.put(name, in.getLongValue());
        } else if (name.equals("reason")) {
          reason = JsonIo.text(in);
        } else if (name.equals("epoch")) {
          epoch = in.getText();
        } else if (name.equals("resumed")) {
          resumed = token == JsonToken.VALUE_TRUE;
        } else {
          in.skipChildren();
        }
      }
    } catch (IOException e) {
      throw new BadRecord("bad_welcome", "the value is not JSON");
    }
    return new Welcome(
        resumed,
        reason,
        epoch,
        number(numbers.get("seq")),
        number(numbers.get("ackSeq")),
        number(numbers.get("unread")),
        number(numbers.get("from")),
        number(numbers.get("resumeTtlMs")),
        (int) number(numbers.get("maxBacklog")),
        (int) number(numbers.get("window")),
        (int) number(numbers.get("windowBytes")),
        number(numbers.get("dedupWindowMs")));
  }

  private static long number(@Nullable Long value) throws BadRecord {
    if (value == null) {
      throw new BadRecord("bad_welcome", "a number is missing");
    }
    return value;
  }
}
