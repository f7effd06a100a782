package dev.holdfast.client.rules;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON that keeps the digits of numbers. Safe for several threads. */
public final class Json {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      // what was written, and refused by the server, must be told to the app
                      StreamReadConstraints.builder()
                          .maxNestingDepth(StreamWriteConstraints.DEFAULT_MAX_DEPTH)
                          .build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private Json() {}

  /** For payloads that are objects of the application. */
  public static ObjectMapper mapper() {
    return MAPPER;
  }

  /**
   * Reads one value.
   *
   * @throws IllegalArgumentException when the text is no JSON; says why, without the text
   */
  public static JsonNode read(String text) {
    try {
      JsonNode node = MAPPER.readTree(text);
      if (node.isMissingNode()) {
        throw new IllegalArgumentException("no JSON: empty");
      }
      return node;
    } catch (JsonProcessingException e) {
      // the parser's own message repeats the text, which may be nobody's to read
      throw new IllegalArgumentException(
          "no JSON at line "
              + e.getLocation().getLineNr()
              + ", column "
              + e.getLocation().getColumnNr());
    }
  }

  /** As {@link #read}; {@code otherwise} when the text is no JSON. */
  public static JsonNode readOr(String text, JsonNode otherwise) {
    try {
      return read(text);
    } catch (IllegalArgumentException e) {
      return otherwise; // the caller tells what of
    }
  }

  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot be written as JSON: " + e.getOriginalMessage(), e);
    }
  }

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }
}
