package dev.holdfast.frame;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.holdfast.JsonIo;
import dev.holdfast.Utf8;
import dev.holdfast.channel.Namespace.Format;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The {@code event} frame: made once for all who are sent it. Values come from a topic that anybody
 * may write to; what cannot be a payload is told as {@code "payload":null} with a field {@code
 * unreadable} that says why, since an event that was left out would be a silent gap.
 */
public final class EventFrame {
  private static final byte[] NULL = ascii("null");
  private static final JsonStringEncoder QUOTE = JsonStringEncoder.getInstance();

  private EventFrame() {}

  /**
   * The frame.
   *
   * @param channel the channel's name
   * @param position a {@link dev.holdfast.channel.Position}'s text
   * @param msgId null when the record has none
   * @param from a valid name; null when the record has none
   * @param ts the record's timestamp, milliseconds since 1970
   * @param value the record's value; null for a tombstone
   * @param most longest payload, in bytes of JSON
   */
  public static byte[] of(
      String channel,
      String position,
      @Nullable String msgId,
      @Nullable String from,
      long ts,
      byte @Nullable [] value,
      Format format,
      int most) {
    byte[] payload = value == null ? NULL : payload(value, format, most);
    String wrong = value == null ? null : wrong(payload, value, format, most);
    StringBuilder head = new StringBuilder(160);
    head.append("{\"type\":\"event\",\"channel\":\"");
    QUOTE.quoteAsString(channel, head);
    head.append("\",\"position\":\"").append(position);
    if (msgId != null) {
      head.append("\",\"msgId\":\"").append(msgId);
    }
    if (from != null) {
      head.append("\",\"from\":\"").append(from);
    }
    head.append("\",\"ts\":").append(ts);
    if (wrong != null) {
      head.append(",\"unreadable\":\"").append(wrong).append('"');
    }
    head.append(",\"payload\":");
    byte[] start = head.toString().getBytes(StandardCharsets.UTF_8);
    byte[] body = wrong == null ? payload : NULL;
    byte[] frame = new byte[start.length + body.length + 1];
    System.arraycopy(start, 0, frame, 0, start.length);
    System.arraycopy(body, 0, frame, start.length, body.length);
    frame[frame.length - 1] = '}';
    return frame;
  }

  private static byte[] payload(byte[] value, Format format, int most) {
    if (value.length > most || format == Format.JSON) {
      return value;
    }
    if (format == Format.BASE64) {
      return ascii('"' + Base64.getEncoder().encodeToString(value) + '"');
    }
    StringBuilder text = new StringBuilder(value.length + 16).append('"');
    QUOTE.quoteAsString(new String(value, StandardCharsets.UTF_8), text);
    return text.append('"').toString().getBytes(StandardCharsets.UTF_8);
  }

  private static @Nullable String wrong(byte[] payload, byte[] value, Format format, int most) {
    if (payload.length > most) {
      return "too_large";
    }
    if (format != Format.BASE64 && !Utf8.valid(value)) {
      return "not_utf8";
    }
    return format == Format.JSON && !isJson(value) ? "not_json" : null;
  }

  private static boolean isJson(byte[] utf8) {
    try (JsonParser in = JsonIo.parser(utf8)) {
      if (in.nextToken() == null) {
        return false;
      }
      in.skipChildren();
      in.finishToken();
      return in.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
