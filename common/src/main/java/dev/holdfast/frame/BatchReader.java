package dev.holdfast.frame;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.Utf8;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes {@code {"messages":[{…},…]}} apart. Each message is then read by itself, so that one that
 * is wrong costs the others nothing.
 */
public final class BatchReader {
  /** Most messages in one batch. */
  public static final int MOST = 100;

  /** Most bytes of a batch, and of any body. */
  public static final int MAX_BYTES = 1024 * 1024;

  private BatchReader() {}

  /**
   * One message of a batch.
   *
   * @param json the message; checked to be UTF-8 and JSON, nothing else
   * @param key its {@code idempotencyKey}, not checked; null when it has none
   */
  public record Item(RawJson json, @Nullable String key) {}

  /**
   * The messages, in order.
   *
   * @param utf8 a request's body, whatever came
   * @return null when the body is no batch: it is not JSON, or has no field {@code messages}
   * @throws BadFrame when it is a batch, but not a right one
   */
  public static @Nullable List<Item> read(byte[] utf8) throws BadFrame {
    boolean batch = false;
    if (!Utf8.valid(utf8)) {
      return null;
    }
    try (JsonParser in = JsonIo.parser(utf8)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      List<Item> items = null;
      boolean alone = true;
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        in.nextToken();
        if (name.equals("messages")) {
          batch = true;
          items = items(in, utf8);
        } else {
          alone &= !name.equals("to") && !name.equals("channel") && !name.equals("payload");
          in.skipChildren();
        }
      }
      if (items == null) {
        return null;
      }
      if (!alone || in.nextToken() != null) {
        throw bad("messages stands alone: to, channel and payload belong into each message");
      }
      return items;
    } catch (IOException e) {
      if (batch) {
        throw new BadFrame(ErrorCode.INVALID_JSON, "not JSON, or nested too deeply", null);
      }
      return null;
    }
  }

  private static List<Item> items(JsonParser in, byte[] utf8) throws IOException, BadFrame {
    if (in.currentToken() != JsonToken.START_ARRAY) {
      throw bad("messages must be an array of 1-" + MOST + " messages");
    }
    List<Item> items = new ArrayList<>();
    while (in.nextToken() != JsonToken.END_ARRAY) {
      if (in.currentToken() == null) {
        throw new BadFrame(ErrorCode.INVALID_JSON, "the body ends within messages", null);
      }
      if (items.size() == MOST) {
        throw bad("messages must be at most " + MOST);
      }
      if (in.currentToken() != JsonToken.START_OBJECT) {
        throw bad("messages must be objects");
      }
      RawJson one = JsonIo.raw(in, utf8);
      items.add(new Item(one, key(one.utf8())));
    }
    if (items.isEmpty()) {
      throw bad("messages must be at least one");
    }
    return items;
  }

  private static @Nullable String key(byte[] message) throws IOException, BadFrame {
    String key = null;
    try (JsonParser in = JsonIo.parser(message)) {
      in.nextToken();
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        boolean wanted = in.currentName().equals("idempotencyKey");
        JsonToken value = in.nextToken();
        if (wanted && value == JsonToken.VALUE_STRING) {
          key = in.getText();
        } else if (wanted && value != JsonToken.VALUE_NULL) {
          throw bad("idempotencyKey must be a string");
        } else {
          in.skipChildren();
        }
      }
    }
    return key;
  }

  private static BadFrame bad(String what) {
    return new BadFrame(ErrorCode.BAD_FRAME, what, null);
  }
}
