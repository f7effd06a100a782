package dev.holdfast.frame;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerFramesTest {

  @Test
  void aMessageIsTheJsonOfItsParts() throws IOException {
    RawJson payload = RawJson.of("{\"é\" : [1.10, \"\\n\"]}");

    byte[] frame = ServerFrames.message(7, "id-7", "ann@x:1", 1_700_000_000_123L, false, payload);

    assertThat(read(frame))
        .containsExactly(
            Map.entry("type", "message"),
            Map.entry("seq", "7"),
            Map.entry("msgId", "id-7"),
            Map.entry("from", "ann@x:1"),
            Map.entry("ts", "1700000000123"),
            Map.entry("payload", payload.toString()));
  }

  @Test
  void aMessageSentBeforeSaysSo() throws IOException {
    byte[] frame = ServerFrames.message(1, "i", "a", 2, true, RawJson.of("null"));

    assertThat(read(frame)).containsEntry("redelivered", "true").containsEntry("payload", "null");
  }

  /** The fields in their order, each as its text; the payload's raw. */
  private static Map<String, String> read(byte[] frame) throws IOException {
    Map<String, String> fields = new LinkedHashMap<>();
    try (JsonParser in = JsonIo.parser(frame)) {
      assertThat(in.nextToken()).isEqualTo(JsonToken.START_OBJECT);
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        in.nextToken();
        boolean raw = name.equals("payload");
        fields.put(name, raw ? JsonIo.raw(in, frame).toString() : in.getText());
      }
      assertThat(in.nextToken()).isNull();
    }
    return fields;
  }
}
