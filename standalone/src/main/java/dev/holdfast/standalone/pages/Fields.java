package dev.holdfast.standalone.pages;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A flat JSON object of strings and whole numbers: the body of a request. */
final class Fields {
  private final Map<String, Object> values = new HashMap<>();

  /**
   * Reads a body; an empty one has no fields. Fields of other kinds are left out.
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  static Fields of(byte[] body) {
    Fields fields = new Fields();
    if (body.length == 0) {
      return fields;
    }
    try (JsonParser in = JsonIo.parser(body)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("the body must be a JSON object");
      }
      for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
        JsonToken value = in.nextToken();
        if (value == JsonToken.VALUE_STRING) {
          fields.values.put(name, in.getText());
        } else if (value == JsonToken.VALUE_NUMBER_INT) {
          fields.values.put(name, in.getLongValue());
        } else {
          in.skipChildren();
        }
      }
      return fields;
    } catch (IOException e) {
      throw new IllegalArgumentException("the body is " + JsonIo.trouble(e), e);
    }
  }

  @Nullable String text(String name) {
    return values.get(name) instanceof String text ? text : null;
  }

  /**
   * A whole number.
   *
   * @throws IllegalArgumentException where it is out of its range
   */
  int number(String name, int least, int most, int absent) {
    if (!values.containsKey(name)) {
      return absent;
    }
    if (values.get(name) instanceof Long n && n >= least && n <= most) {
      return n.intValue();
    }
    throw new IllegalArgumentException(name + " must be a number from " + least + " to " + most);
  }
}
