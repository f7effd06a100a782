package dev.holdfast.standalone;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.JsonIo;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * One log event as one line of JSON: {@code time level logger thread message}, then the event's own
 * fields by their names, then {@code error} with the stack trace where there is one. A line never
 * contains a line break of its own.
 */
public final class JsonLines extends EncoderBase<ILoggingEvent> {
  private static final byte[] NONE = new byte[0];
  private static final Set<String> OURS =
      Set.of("time", "level", "logger", "thread", "message", "error");

  @Override
  public byte[] headerBytes() {
    return NONE;
  }

  @Override
  public byte[] footerBytes() {
    return NONE;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    byte[] json = JsonIo.write(out -> write(event, out));
    byte[] line = Arrays.copyOf(json, json.length + 1);
    line[json.length] = '\n';
    return line;
  }

  private static void write(ILoggingEvent event, JsonGenerator out) throws IOException {
    out.writeStartObject();
    out.writeStringField("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
    out.writeStringField("level", event.getLevel().toString());
    out.writeStringField("logger", event.getLoggerName());
    out.writeStringField("thread", event.getThreadName());
    out.writeStringField("message", event.getFormattedMessage());
    List<KeyValuePair> fields = event.getKeyValuePairs();
    if (fields != null) {
      for (KeyValuePair field : fields) {
        out.writeFieldName(OURS.contains(field.key) ? "_" + field.key : field.key);
        value(field.value, out);
      }
    }
    if (event.getThrowableProxy() != null) {
      out.writeStringField("error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    out.writeEndObject();
  }

  private static void value(@Nullable Object value, JsonGenerator out) throws IOException {
    if (value == null) {
      out.writeNull();
    } else if (value instanceof Boolean yes) {
      out.writeBoolean(yes);
    } else if (value instanceof Integer || value instanceof Long) {
      out.writeNumber(((Number) value).longValue());
    } else if (value instanceof Map<?, ?> map) {
      out.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.writeFieldName(String.valueOf(entry.getKey()));
        value(entry.getValue(), out);
      }
      out.writeEndObject();
    } else {
      out.writeString(value.toString());
    }
  }
}
