package dev.holdfast.testkit.sim;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.record.FrameBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A frame as a client reads it: the fields of the outermost object. */
final class ServerFrame {
  private final Map<String, String> fields = new HashMap<>();

  private ServerFrame() {}

  static ServerFrame read(byte[] utf8) {
    ServerFrame frame = new ServerFrame();
    try (JsonParser in = JsonIo.parser(utf8)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new Violation("a frame is no object: " + RawJson.of(utf8));
      }
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        if (in.nextToken().isStructStart()) {
          in.skipChildren();
        } else if (name.equals("payload")) {
          frame.fields.put(name, JsonIo.raw(in, utf8).toString());
        } else {
          frame.fields.put(name, in.getText());
        }
      }
      return frame;
    } catch (IOException e) {
      throw new UncheckedIOException("the server sent " + RawJson.of(utf8), e);
    }
  }

  /** The frames of a delivery of messages. */
  static List<byte[]> each(byte[] value) {
    List<byte[]> frames = new ArrayList<>();
    int from = 0;
    while (from <= value.length) {
      int end = FrameBatch.end(value, from);
      frames.add(FrameBatch.frame(value, from, end));
      from = end + 1;
    }
    return frames;
  }

  /** Identity and payload of a message's frame: the ledger's name for it. */
  static String message(byte[] utf8) {
    ServerFrame frame = read(utf8);
    return frame.text("msgId") + ' ' + frame.text("payload");
  }

  String type() {
    return text("type");
  }

  String text(String name) {
    String value = fields.get(name);
    if (value == null) {
      throw new Violation("the frame lacks " + name + ": " + fields);
    }
    return value;
  }

  @Nullable String optional(String name) {
    return fields.get(name);
  }

  long number(String name) {
    return Long.parseLong(text(name));
  }

  @Override
  public String toString() {
    return fields.toString();
  }
}
