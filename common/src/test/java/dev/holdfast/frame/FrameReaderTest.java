package dev.holdfast.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameReaderTest {
  private final FrameReader reader = new FrameReader(Limits.DEFAULT);

  @Test
  void readsEachFrame() throws BadFrame {
    assertThat(
            read("{'type':'hello','clientId':'c','user':'u','lastSeq':0,'epoch':'e','attempt':7}"))
        .isEqualTo(new ClientFrame.Hello("c", "u", 0L, "e", 7L));
    assertThat(read("{'clientId':'c','type':'hello'}"))
        .isEqualTo(new ClientFrame.Hello("c", null, null, null, null));
    assertThat(read("{'type':'ack','seq':9223372036854775807}"))
        .isEqualTo(new ClientFrame.Ack(Long.MAX_VALUE));
    assertThat(read("{'type':'ping','ts':{'a':1}}"))
        .isEqualTo(new ClientFrame.Ping(RawJson.of("{\"a\":1}")));
    assertThat(read("{'type':'send','clientMsgId':'m','to':{'user':'a'},'payload':null}"))
        .isEqualTo(new ClientFrame.Send("m", List.of("a"), RawJson.of("null")));
    assertThat(read("{'type':'send','clientMsgId':'m','channel':'n:c','payload':1}"))
        .isEqualTo(new ClientFrame.Post("m", "n:c", RawJson.of("1")));
  }

  @Test
  @DisplayName("channels and watched users, one or many, each once")
  void lists() throws BadFrame {
    Wanted all = new Wanted("n:a", null, null);
    assertThat(read("{'type':'subscribe','channel':'n:a'}"))
        .isEqualTo(new ClientFrame.Subscribe(List.of(all)));
    assertThat(
            read(
                "{'type':'subscribe','channels':['n:a',{'channel':'n:b:c','position':'p',"
                    + "'maxRate':0.5,'x':[]},{'channel':'n:a','position':null}]}"))
        .isEqualTo(new ClientFrame.Subscribe(List.of(all, new Wanted("n:b:c", "p", 0.5))));
    assertThat(read("{'type':'unsubscribe','channel':'n:a'}"))
        .isEqualTo(new ClientFrame.Unsubscribe(List.of("n:a")));
    assertThat(read("{'type':'watch','users':['b','a','b']}"))
        .isEqualTo(new ClientFrame.Watch(List.of("b", "a")));
    assertThat(read("{'type':'unwatch','users':['b']}"))
        .isEqualTo(new ClientFrame.Unwatch(List.of("b")));
    ClientFrame hello =
        read("{'type':'hello','clientId':'c','channels':['n:a'],'watch':['bob'],'token':null}");
    assertThat(hello)
        .isEqualTo(
            new ClientFrame.Hello(
                "c", null, null, null, null, null, null, List.of(all), List.of("bob")));
  }

  @Test
  void skipsUnknownFieldsAndTakesNullForAbsent() throws BadFrame {
    assertThat(
            read(
                "{'x':{'type':'no','y':[1,{}]},'type':'hello','sdk':[],'clientId':'c','from':1,"
                    + "'lastSeq':null,'user':null,'epoch':null,'attempt':null}"))
        .isEqualTo(new ClientFrame.Hello("c", null, null, null, null));
  }

  @Test
  void namesRecipientsOnceInTheirOrder() throws BadFrame {
    assertThat(read("{'type':'send','clientMsgId':'m','to':{'users':['b','a','b']},'payload':1}"))
        .isEqualTo(new ClientFrame.Send("m", List.of("b", "a"), RawJson.of("1")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.50",
        "-0.0",
        "1e400",
        "123456789012345678901234567890",
        "\"\\u00e9\\/\"",
        "\"é😀\"",
        "{ \"b\" : [ 1 , 2 ] , \"a\" : null }",
        "[]",
        "{}",
        "true",
        "false",
        "null",
        "\"\""
      })
  void keepsThePayloadsBytes(String payload) throws BadFrame {
    for (String end : List.of("}", " }", ",\"clientMsgId\":\"m\"}")) {
      String frame =
          "{\"clientMsgId\":\"m\",\"to\":{\"user\":\"a\"},\"type\":\"send\",\"payload\": "
              + payload
              + end;
      ClientFrame.Send send = (ClientFrame.Send) reader.read(utf8(frame));
      assertThat(send.payload()).hasToString(payload);
    }
  }

  @Property
  void keepsAnyTextAsItWasWritten(@ForAll @Size(max = 300) String text) throws BadFrame {
    String payload = quoted(text);
    String frame =
        "{\"type\":\"send\",\"payload\":"
            + payload
            + ",\"clientMsgId\":\"m\",\"to\":{\"user\":\"a\"}}";
    byte[] utf8 = utf8(frame);
    ClientFrame.Send send = (ClientFrame.Send) reader.read(utf8);
    assertThat(send.payload().utf8()).isEqualTo(utf8(payload));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "x",
        "1",
        "'a'",
        "[]",
        "{",
        "{'a'}",
        "{'a':1",
        "{'a':1}{}",
        "{'a':01}",
        "{'type':'ack','seq':1} x",
        "{'type':'ping','ts':}"
      })
  void whatIsNoJsonObjectIsInvalidJson(String text) {
    assertThat(refused(text).code()).isEqualTo(ErrorCode.INVALID_JSON);
  }

  @Test
  void depthIsBoundedWhereverItIs() {
    for (String start : List.of("", "{'a':", "{'type':'send','payload':", "{'type':'ping','ts':")) {
      for (String bracket : List.of("[", "{'a':")) {
        String deep = start + bracket.repeat(100_000);
        assertThat(refused(deep).code()).isEqualTo(ErrorCode.INVALID_JSON);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'type':'hello','clientId':1}|clientId must be a string",
        "{'type':'hello'}|clientId is missing",
        "{'type':'hello','clientId':''}|clientId must be 1-128",
        "{'type':'hello','clientId':'a b'}|clientId must be 1-128",
        "{'type':'hello','clientId':'c','user':'a/b'}|user must be 1-128",
        "{'type':'hello','clientId':'c','lastSeq':'1'}|lastSeq must be an integer",
        "{'type':'hello','clientId':'c','lastSeq':-1}|lastSeq must be an integer",
        "{'type':'hello','clientId':'c','lastSeq':1.5}|lastSeq must be an integer",
        "{'type':'hello','clientId':'c','attempt':9223372036854775808}|attempt must be an integer",
        "{'type':'hello','clientId':'c','epoch':[]}|epoch must be a string",
        "{'type':'ack'}|seq is missing",
        "{'type':'ack','seq':true}|seq must be an integer",
        "{'type':1}|type must be a string",
        "{}|type is missing",
        "{'type':'send','clientMsgId':'m','payload':1}|to is missing",
        "{'type':'send','clientMsgId':'m','to':'a','payload':1}|to must be {user} or {users}",
        "{'type':'send','clientMsgId':'m','to':{},'payload':1}|to must be {user} or {users}",
        "{'type':'send','clientMsgId':'m','to':{'user':1},'payload':1}|to.user must be a string",
        "{'type':'send','clientMsgId':'m','to':{'users':[]},'payload':1}|to.users must name 1-100",
        "{'type':'send','clientMsgId':'m','to':{'users':['a',1]},'payload':1}|to.users[1] must be",
        "{'type':'send','clientMsgId':'m','to':{'user':'a'}}|payload is missing",
        "{'type':'send','to':{'user':'a'},'payload':1}|clientMsgId is missing",
        "{'type':'send','clientMsgId':'','to':{'user':'a'},'payload':1}|clientMsgId must have 1-64",
      })
  void namesTheFieldThatIsWrong(String frame, String what) {
    BadFrame bad = refused(frame);
    assertThat(bad.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(bad.text()).startsWith(what);
  }

  @Test
  void namesTheMessageThatIsRefused() {
    BadFrame bad = refused("{'type':'send','clientMsgId':'m','to':{'user':'a'}}");
    assertThat(bad.clientMsgId()).isEqualTo("m");
    assertThat(refused("{'type':'nonsense','clientMsgId':'m'}").clientMsgId()).isEqualTo("m");
    assertThat(refused("{'type':'nonsense'}").code()).isEqualTo(ErrorCode.UNKNOWN_TYPE);
  }

  @Test
  void boundsWhatItNames() throws BadFrame {
    assertThat(read(send("m".repeat(64), "['a']", "1"))).isInstanceOf(ClientFrame.Send.class);
    BadFrame longId = refused(send("m".repeat(65), "['a']", "1"));
    assertThat(longId.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(longId.clientMsgId()).isNull();
    assertThat(read(send("m", users(100), "1"))).isInstanceOf(ClientFrame.Send.class);
    assertThat(refused(send("m", users(101), "1")).code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(refused(send("m", users(5_000), "1")).code()).isEqualTo(ErrorCode.BAD_FRAME);
    int most = Limits.DEFAULT.payloadBytes();
    assertThat(read(send("m", "['a']", "'" + "x".repeat(most - 2) + "'"))).isNotNull();
    assertThat(refused(send("m", "['a']", "'" + "x".repeat(most - 1) + "'")).code())
        .isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE);
  }

  @Test
  void readsAPublish() throws BadFrame {
    String body = "{'to':{'user':'a'},'payload':1.0,'type':'x','clientMsgId':'other'}";
    assertThat(publish(body))
        .isEqualTo(new Publish(Publish.BACKEND, List.of("a"), null, RawJson.of("1.0")));
    assertThat(publish("{'from':'f','to':{'user':'a'},'payload':1}").from()).isEqualTo("f");
    for (String bad :
        List.of(
            "{'from':1,'to':{'user':'a'},'payload':1}",
            "{'from':'a b','to':{'user':'a'},'payload':1}",
            "{'payload':1}",
            "{'to':{'user':'a'}}")) {
      assertThat(catchThrowableOfType(BadFrame.class, () -> publish(bad)).code())
          .isEqualTo(ErrorCode.BAD_FRAME);
    }
  }

  @Test
  void refusesIdsThatUtf8WouldNotKeepApart() throws BadFrame {
    for (String half : List.of("\\uD800", "a\\uDC00", "\\uD800\\uD800", "\\uDC00\\uD800")) {
      BadFrame refused = refused(send(half, "['a']", "1"));
      assertThat(refused.code()).isEqualTo(ErrorCode.BAD_FRAME);
      assertThat(refused.clientMsgId()).isNull();
    }
    assertThat(read(send("\\uD83D\\uDE00", "['a']", "1"))).isInstanceOf(ClientFrame.Send.class);
  }

  @Test
  void refusesAPublishThatIsNotUtf8() throws BadFrame {
    String body = "{\"to\":{\"user\":\"a\"},\"payload\":\"?\u00e9\"}";
    assertThat(reader.readPublish(utf8(body)).payload()).hasToString("\"?\u00e9\"");
    byte[] broken = utf8(body);
    broken[body.indexOf('?')] = (byte) 0xc3;
    assertThat(catchThrowableOfType(BadFrame.class, () -> reader.readPublish(broken)).code())
        .isEqualTo(ErrorCode.INVALID_JSON);
  }

  private static String send(String id, String users, String payload) {
    return "{'type':'send','clientMsgId':'"
        + id
        + "','to':{'users':"
        + users
        + "},'payload':"
        + payload
        + "}";
  }

  private static String users(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "'u" + i + "'")
        .collect(Collectors.joining(",", "[", "]"));
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c == '"' || c == '\\' || Character.isSurrogate(c)) {
        out.append(String.format("\\u%04X", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }

  private Publish publish(String text) throws BadFrame {
    return reader.readPublish(utf8(text.replace('\'', '"')));
  }

  private ClientFrame read(String text) throws BadFrame {
    return reader.read(utf8(text.replace('\'', '"')));
  }

  private BadFrame refused(String text) {
    return catchThrowableOfType(BadFrame.class, () -> read(text));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
