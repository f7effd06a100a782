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
   * @param wrong why it cannot be taken, whatever else it says; null when nothing is known yet
   */
  public record Item(RawJson json, @Nullable String key, @Nullable String wrong) {}

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
        throw new BadFrame(ErrorCode.INVALID_JSON, JsonIo.trouble(e), null);
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
      boolean object = in.currentToken() == JsonToken.START_OBJECT;
      RawJson one = JsonIo.raw(in, utf8);
      items.add(object ? item(one) : new Item(one, null, "a message must be a JSON object"));
    }
    if (items.isEmpty()) {
      throw bad("messages must be at least one");
    }
    return items;
  }

  private static Item item(RawJson message) throws IOException {
    String key = null;
    String wrong = null;
    try (JsonParser in = JsonIo.parser(message.utf8())) {
      in.nextToken();
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        boolean wanted = in.currentName().equals("idempotencyKey");
        JsonToken value = in.nextToken();
        if (wanted && value == JsonToken.VALUE_STRING) {
          key = in.getText();
        } else if (wanted && value != JsonToken.VALUE_NULL) {
          wrong = "idempotencyKey must be a string";
        }
        in.skipChildren();
      }
    }
    return new Item(message, key, wrong);
  }

  private static BadFrame bad(String what) {
    return new BadFrame(ErrorCode.BAD_FRAME, what, null);
  }
}
