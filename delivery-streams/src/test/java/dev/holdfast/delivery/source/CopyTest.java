package dev.holdfast.delivery.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.record.BadRecord;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CopyTest {
  private static final byte[] BOB = bytes("bob");
  private static final int EPOCH = 5;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Copy copy(String format, byte @Nullable [] key, byte @Nullable [] value) {
    return Copy.of(SourceSpec.parse("orders:format=" + format), "T", 3, 17, EPOCH, key, value);
  }

  /** As streams reads it, which must be what was meant. */
  private static Event.Message read(Copy copy) throws BadRecord {
    assertThat(copy).isInstanceOf(Copy.Forward.class);
    Copy.Forward forward = (Copy.Forward) copy;
    Event.Message event = (Event.Message) EventReader.read(forward.value().utf8());
    assertThat(event).isEqualTo(forward.event());
    return event;
  }

  @Test
  void theIdentityIsThePlaceAndTheSenderTheSource() throws BadRecord {
    Event.Message event = read(copy("json", BOB, bytes(" {\"n\": 1.00} \n")));

    assertThat(event.from()).isEqualTo("orders");
    assertThat(event.clientId()).isEmpty();
    assertThat(event.clientMsgId()).isEqualTo("T:3:17:5");
    assertThat(event.payload()).hasToString("{\"n\": 1.00}");
  }

  @Test
  void aRecordInPlaceOfAnotherIsAnotherMessage() {
    SourceSpec spec = SourceSpec.parse("orders");
    Copy before = Copy.of(spec, "T", 3, 17, EPOCH, BOB, bytes("1"));

    assertThat(Copy.of(spec, "T", 3, 17, EPOCH, BOB, bytes("1"))).isEqualTo(before);
    assertThat(Copy.of(spec, "T", 3, 17, EPOCH + 1, BOB, bytes("1"))).isNotEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "null", "\"a\"", "[]", "{}", "[[1],{\"a\":[]}]", "-1.5e3", "true"})
  void anyJsonValueIsAPayload(String json) throws BadRecord {
    assertThat(read(copy("json", BOB, bytes(json))).payload()).hasToString(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{}{}",
        "1,2",
        "1},\"from\":\"admin\",\"x\":{\"y\":1",
        "1,\"from\":\"admin\"",
        "1]",
        "\"open",
        "01",
        "tru",
        "{\"a\":1]",
        "\u001e",
        "{\"a\":\"\u0001\"}"
      })
  void whatIsNotOneJsonValueIsDead(String json) {
    assertThat(copy("json", BOB, bytes(json)))
        .isInstanceOfSatisfying(
            Copy.Dead.class, dead -> assertThat(dead.reason()).isEqualTo("bad_value"));
  }

  @Test
  void theDeepestThatIsForwardedIsReadByStreams() throws BadRecord {
    String most = "[".repeat(255) + "]".repeat(255);
    assertThat(read(copy("json", BOB, bytes(most))).payload()).hasToString(most);
    assertThat(copy("json", BOB, bytes("[" + most + "]"))).isInstanceOf(Copy.Dead.class);
  }

  @Test
  void malformedUtf8IsDeadUnlessItIsBase64() throws BadRecord {
    byte[] broken = {'"', (byte) 0xc3, '"'};

    assertThat(copy("json", BOB, broken)).isInstanceOf(Copy.Dead.class);
    assertThat(copy("text", BOB, broken)).isInstanceOf(Copy.Dead.class);
    assertThat(read(copy("base64", BOB, broken)).payload()).hasToString("\"IsMi\"");
  }

  @Test
  void textIsAJsonString() throws BadRecord {
    assertThat(read(copy("text", BOB, bytes("say \"ü\"\n"))).payload())
        .hasToString("\"say \\\"ü\\\"\\n\"");
    assertThat(read(copy("text", BOB, bytes(""))).payload()).hasToString("\"\"");
  }

  @Test
  void tombstonesAreSkippedWhateverTheirKey() {
    assertThat(copy("json", BOB, null)).isEqualTo(new Copy.Skip());
    assertThat(copy("json", null, null)).isEqualTo(new Copy.Skip());
  }

  @ParameterizedTest
  @CsvSource({"''", "no blank", "ü"})
  void aKeyThatIsNoUserIsDead(String key) {
    assertThat(copy("json", bytes(key), bytes("1")))
        .isInstanceOfSatisfying(
            Copy.Dead.class, dead -> assertThat(dead.reason()).isEqualTo("bad_key"));
    assertThat(copy("json", null, bytes("1"))).isInstanceOf(Copy.Dead.class);
  }

  @Test
  void theLargestIsTheLargestThatStreamsApplies() throws BadRecord {
    Event.Message small = read(copy("text", BOB, bytes("")));
    int rest = Event.MAX_RECORD - 3 - ((Copy.Forward) copy("text", BOB, bytes(""))).value().size();

    assertThat(small.payload().size()).isEqualTo(2);
    assertThat(copy("text", BOB, bytes("x".repeat(rest)))).isInstanceOf(Copy.Forward.class);
    assertThat(copy("text", BOB, bytes("x".repeat(rest + 1))))
        .isInstanceOfSatisfying(
            Copy.Dead.class, dead -> assertThat(dead.reason()).isEqualTo("too_large"));
  }
}
