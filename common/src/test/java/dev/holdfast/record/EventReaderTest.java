package dev.holdfast.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever lies in the log is an event or names what is wrong with it. */
class EventReaderTest {
  private static final EdgeRef EDGE = new EdgeRef("edge-1", "inc", 3);

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void refused(byte @Nullable [] value) {
    assertThatThrownBy(() -> EventReader.read(value)).isInstanceOf(BadRecord.class);
  }

  @Test
  void whatIsWrittenIsRead() throws BadRecord {
    RawJson payload = RawJson.of("{\"n\":1.50, \"t\":\"ä\\u0000\"}");
    List<Event> events =
        List.of(
            new Event.Message("alice", "phone", "1", payload),
            new Event.Message("alice", "", null, RawJson.of("null")),
            new Event.Connect("phone", "c1", EDGE, 0L, "e-1", Long.MAX_VALUE),
            new Event.Connect("phone", "c1", EDGE, null, null, null),
            new Event.Disconnect("phone", "c1", EDGE, "socket_closed"),
            new Event.Ack("phone", "c1", EDGE, 17),
            new Event.Resync("phone", "c1", EDGE, 16, true),
            new Event.Roster(EDGE, 2, -5, null),
            new Event.Roster(EDGE, 1, 7, List.of(new Event.Roster.Entry("u", "phone", "c1"))),
            new Event.Suspect(EDGE.key(), 9),
            new Event.Leave(),
            new Event.Expire(),
            new Event.Kick(null),
            new Event.Kick("phone"),
            new Event.Query("i1-q1", EDGE, 0, 1, null),
            new Event.Query("i1-q2", EDGE, Long.MAX_VALUE, 1_000, "e-1"),
            new Event.RulesChange(Rules.defaults(24)));
    for (Event event : events) {
      assertThat(EventReader.read(EventWriter.write(event))).isEqualTo(event);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{}",
        "{\"type\":7}",
        "{\"type\":\"dance\"}",
        "{\"type\":\"message\",\"from\":\"x\"}",
        "{\"type\":\"message\",\"payload\":1}",
        "{\"type\":\"message\",\"from\":\"no spaces\",\"payload\":1}",
        "{\"type\":\"message\",\"from\":\"x\",\"clientMsgId\":\"\\ud800\",\"payload\":1}",
        "{\"type\":\"message\",\"from\":\"x\",\"payload\":1} {}",
        "{\"type\":\"ack\",\"clientId\":\"p\",\"connId\":\"c\",\"seq\":1}",
        "{\"type\":\"connect\",\"clientId\":\"p\",\"connId\":\"c\",\"lastSeq\":-1,"
            + "\"edge\":{\"id\":\"e\",\"inc\":\"i\",\"part\":0}}",
        "{\"type\":\"connect\",\"clientId\":\"p\",\"connId\":\"c\","
            + "\"edge\":{\"id\":\"e\",\"inc\":\"i\",\"part\":-1}}",
        "{\"type\":\"roster\",\"edge\":{\"id\":\"e\",\"inc\":\"i\",\"part\":0},\"count\":1,"
            + "\"digest\":2,\"connections\":[[1,2,3]]}",
        "{\"type\":\"kick\",\"clientId\":null}",
        "{\"type\":\"kick\",\"clientId\":\"\"}",
        "{\"type\":\"kick\",\"clientId\":[\"phone\"]}",
        "{\"type\":\"rules\",\"rules\":{}}",
        "{\"type\":\"rules\",\"rules\":{\"partitions\":6,\"rosterIntervalMs\":1000}}",
        "{\"type\":\"rules\",\"rules\":{\"partitions\":99999999999}}",
      })
  void whatIsNoEventIsRefused(String value) {
    refused(utf8(value));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'type':'message','payload':1}|from is missing or of the wrong type",
        "{'type':'message','from':7,'payload':1}|from is missing or of the wrong type",
        "{'type':'message','from':'a b','payload':1}|from must be 1-128",
        "{'type':'kick','clientId':null}|clientId is missing or of the wrong type",
        "{'type':'message','from':'a','clientMsgId':'\\u0000','payload':1}|clientMsgId must not"
            + " contain the control character NUL",
        "{'type':'message','from':'a','clientMsgId':'','payload':1}|clientMsgId must have 1-200",
        "this is no JSON|the value: not JSON at byte 0",
        "{'type':'rules','rules':{'partitions':99999999999999999999}}|the value: a number is out",
        "{'type':'roster','connections':[[1,2,3]]}|connections must have entries",
      })
  void theDetailNamesWhatIsWrong(String value, String detail) {
    assertThatThrownBy(() -> EventReader.read(utf8(value.replace('\'', '"'))))
        .hasMessageStartingWith(detail);
    String deep = "{\"type\":\"message\",\"payload\":" + "[".repeat(300);
    assertThatThrownBy(() -> EventReader.read(utf8(deep)))
        .hasMessage("the value: nested deeper than 256");
  }

  @Test
  void whatIsNotUtf8IsRefused() {
    String message = "{\"type\":\"message\",\"from\":\"a\",\"payload\":{}}";
    refused(null);
    refused(message.getBytes(StandardCharsets.UTF_16));
    refused(message.getBytes(StandardCharsets.UTF_16LE));
    byte[] surrogate = utf8("{\"type\":\"message\",\"from\":\"a\",\"payload\":\"???\"}");
    int at = new String(surrogate, StandardCharsets.UTF_8).indexOf('?');
    surrogate[at] = (byte) 0xED;
    surrogate[at + 1] = (byte) 0xA0;
    surrogate[at + 2] = (byte) 0x80;
    refused(surrogate);
  }

  @Test
  void nothingButBadRecordEverComesOut() {
    Random random = new Random(7);
    byte[] good = EventWriter.write(new Event.Connect("phone", "c1", EDGE, 0L, "e-1", 5L));
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bad = Arrays.copyOf(good, 1 + random.nextInt(good.length));
      for (int n = random.nextInt(4); n >= 0; n--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
      }
      try {
        assertThat(EventReader.read(bad)).isNotNull();
      } catch (BadRecord e) {
        refused++;
        assertThat(e.detail()).isNotEmpty();
      }
    }
    assertThat(refused).isPositive();
  }
}
