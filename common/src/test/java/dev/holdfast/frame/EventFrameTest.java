package dev.holdfast.frame;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.channel.Namespace.Format;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Whatever lies in a topic becomes a frame that clients can read, or says why it cannot. */
class EventFrameTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST = 100;

  @Test
  @DisplayName("JSON is passed on as it was written, to the last digit")
  void json() {
    for (String value :
        List.of(
            "1.10",
            "12345678901234567890",
            "{\"a\": [1,2 ]}",
            "\"gr\u00fc\u00df \ud83d\ude00\"",
            "null")) {
      String frame = new String(frame(value.getBytes(UTF_8), Format.JSON), UTF_8);
      assertThat(frame)
          .isEqualTo(
              "{\"type\":\"event\",\"channel\":\"t:k\",\"position\":\"p\",\"ts\":17,\"payload\":"
                  + value
                  + "}");
      assertThat(read(value.getBytes(UTF_8), Format.JSON).path("type").asText()).isEqualTo("event");
    }
  }

  @Test
  @DisplayName("id and sender stand there where the record has them, and any name is quoted")
  void head() throws IOException {
    byte[] frame =
        EventFrame.of("t:\"\\\u2028\u00e9", "p", "id", "ann", 17, ascii("1"), Format.JSON, MOST);
    JsonNode read = JSON.readTree(frame);
    assertThat(read.path("channel").asText()).isEqualTo("t:\"\\\u2028\u00e9");
    assertThat(read.path("msgId").asText()).isEqualTo("id");
    assertThat(read.path("from").asText()).isEqualTo("ann");
    assertThat(fields(read))
        .containsExactly("type", "channel", "position", "msgId", "from", "ts", "payload");
  }

  @Test
  @DisplayName("a tombstone is null, and nothing about it is unreadable")
  void tombstone() {
    for (Format format : Format.values()) {
      JsonNode read = read(null, format);
      assertThat(read.path("payload").isNull()).isTrue();
      assertThat(read.has("unreadable")).isFalse();
    }
  }

  @Test
  @DisplayName("text becomes a JSON string with every character that it had")
  void text() {
    for (String value :
        List.of(
            "",
            "say \"hi\"\\\r\n\t",
            "\u0000\u0001\u007f\u2028",
            "gr\u00fc\u00df \ud83d\ude00",
            "{\"a\":1}")) {
      JsonNode read = read(value.getBytes(UTF_8), Format.TEXT);
      assertThat(read.path("payload").isTextual()).isTrue();
      assertThat(read.path("payload").textValue()).isEqualTo(value);
      assertThat(read.has("unreadable")).isFalse();
    }
  }

  @Test
  @DisplayName("bytes become base64 of the common alphabet, padded")
  void base64() {
    byte[] all = new byte[70];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) (i * 37);
    }
    assertThat(read(all, Format.BASE64).path("payload").textValue())
        .satisfies(text -> assertThat(Base64.getDecoder().decode(text)).isEqualTo(all));
    byte[] telling = {(byte) 0xfb, (byte) 0xff, (byte) 0xfe, 0};
    assertThat(read(telling, Format.BASE64).path("payload").textValue()).isEqualTo("+//+AA==");
    assertThat(read(new byte[0], Format.BASE64).path("payload").textValue()).isEmpty();
  }

  @Test
  @DisplayName("what is no JSON document is told as not_json, with a payload of null")
  void notJson() {
    String deep = "[".repeat(40) + "]".repeat(39);
    for (String value : List.of("", " ", "hello", "{", "{\"a\":}", "1 2", "{} x", "[1,]", deep)) {
      assertThat(unreadable(value.getBytes(UTF_8), Format.JSON)).as(value).isEqualTo("not_json");
    }
  }

  @Test
  @DisplayName("what is not UTF-8 is told as not_utf8, and is no matter to base64")
  void notUtf8() {
    byte[] latin = "\"gr\u00fc\u00df\"".getBytes(ISO_8859_1);
    assertThat(unreadable(latin, Format.JSON)).isEqualTo("not_utf8");
    assertThat(unreadable(latin, Format.TEXT)).isEqualTo("not_utf8");
    assertThat(read(latin, Format.BASE64).has("unreadable")).isFalse();
  }

  @Test
  @DisplayName("too_large goes by the bytes of the payload as JSON")
  void tooLarge() {
    String fits = "\"" + "x".repeat(MOST - 2) + "\"";
    assertThat(read(ascii(fits), Format.JSON).path("payload").asText()).hasSize(MOST - 2);
    assertThat(unreadable(ascii(fits + " "), Format.JSON)).isEqualTo("too_large");

    assertThat(read(ascii("x".repeat(MOST - 2)), Format.TEXT).has("unreadable")).isFalse();
    assertThat(unreadable(ascii("x".repeat(MOST - 1)), Format.TEXT)).isEqualTo("too_large");
    assertThat(unreadable(ascii("\"".repeat(MOST / 2)), Format.TEXT)).isEqualTo("too_large");

    assertThat(read(new byte[72], Format.BASE64).has("unreadable")).isFalse(); // 96 characters
    assertThat(unreadable(new byte[75], Format.BASE64)).isEqualTo("too_large");
    assertThat(unreadable(new byte[1_000], Format.BASE64)).isEqualTo("too_large");
  }

  private static String unreadable(byte[] value, Format format) {
    JsonNode read = read(value, format);
    assertThat(read.path("payload").isNull()).isTrue();
    return read.path("unreadable").asText();
  }

  private static JsonNode read(byte @Nullable [] value, Format format) {
    try {
      return JSON.readTree(frame(value, format));
    } catch (IOException e) {
      throw new AssertionError("not JSON: " + new String(frame(value, format), UTF_8), e);
    }
  }

  private static byte[] frame(byte @Nullable [] value, Format format) {
    return EventFrame.of("t:k", "p", null, null, 17, value, format, MOST);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(UTF_8);
  }

  private static List<String> fields(JsonNode object) {
    List<String> names = new ArrayList<>();
    for (Iterator<String> all = object.fieldNames(); all.hasNext(); ) {
      names.add(all.next());
    }
    return names;
  }
}
