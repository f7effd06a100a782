package dev.holdfast.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a frame is refused for, in which words, and what it is not refused for. */
class FrameErrorsTest {
  private final FrameReader reader = new FrameReader(Limits.DEFAULT);

  @ParameterizedTest
  @DisplayName("a message that is addressed in two ways, or to nobody, goes to nobody")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'to':{'user':'a','users':['b']}|to must be {user} or {users}, one of them and once",
        "'to':{'users':['b'],'user':'a'}|to must be {user} or {users}, one of them and once",
        "'to':{'user':'a','user':'b'}|to must be {user} or {users}, one of them and once",
        "'to':{'user':'a'},'to':{'user':'b'}|to must come once",
        "'to':{'user':'a'},'channel':'c'|to and channel must not come together",
        "'channel':'c','to':{'users':['a']}|to and channel must not come together",
        "'channel':'c','to':{}|to and channel must not come together",
        "'channel':'c','to':5|to and channel must not come together",
        "'to':{'user':'a'},'channel':5|channel must be a string",
        "'to':{'users':['a',null]}|to.users[1] must be a string",
        "'to':{'users':[['a'],'b']}|to.users[0] must be a string",
        "'to':{'users':'a'}|to.users must be an array of strings",
        "'to':{'user':null}|to must be {user} or {users}",
        "'to':null|to is missing",
      })
  void addressing(String to, String what) {
    String rest = to + ",'payload':1}";
    BadFrame send = refused("{'type':'send','clientMsgId':'m'," + rest);
    BadFrame publish = catchThrowableOfType(BadFrame.class, () -> publish("{" + rest));
    assertThat(send.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(send.text()).isEqualTo(what);
    assertThat(send.clientMsgId()).isEqualTo("m");
    assertThat(publish.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(publish.text()).isEqualTo(what);
  }

  @Test
  void nullIsAbsenceWithinToAsWell() throws BadFrame {
    for (String to : List.of("{'user':'a','users':null}", "{'user':null,'users':['a','a']}")) {
      String frame = "{'type':'send','clientMsgId':'m','channel':null,'payload':1,'to':" + to + "}";
      assertThat(read(frame)).isEqualTo(new ClientFrame.Send("m", List.of("a"), RawJson.of("1")));
    }
  }

  @Test
  @DisplayName("a field that does not belong to a frame is ignored whatever its type")
  void foreignFields() throws BadFrame {
    assertThat(read("{'type':'ack','seq':0,'user':5,'to':{'users':[1]},'clientMsgId':7}"))
        .isEqualTo(new ClientFrame.Ack(0));
    assertThat(
            read(
                "{'type':'send','clientMsgId':'m','to':{'user':'a'},'payload':1,'epoch':7,"
                    + "'lastSeq':-1,'from':[],'token':{}}"))
        .isEqualTo(new ClientFrame.Send("m", List.of("a"), RawJson.of("1")));
    assertThat(read("{'type':'hello','clientId':'c','seq':'x','to':'all','channel':1}"))
        .isEqualTo(new ClientFrame.Hello("c", null, null, null, null));
    assertThat(read("{'type':'auth','token':'t','seq':{},'clientId':1}"))
        .isEqualTo(new ClientFrame.Auth("t"));
    assertThat(read("{'type':'ping','ts':1,'seq':'x'}"))
        .isEqualTo(new ClientFrame.Ping(RawJson.of("1")));
    assertThat(read("{'type':'watch','users':['a'],'channels':7,'position':7,'maxRate':'x'}"))
        .isEqualTo(new ClientFrame.Watch(List.of("a")));
    assertThat(refused("{'type':'dance','seq':'x'}").code()).isEqualTo(ErrorCode.UNKNOWN_TYPE);
    assertThat(refused("{'seq':'x'}").text()).isEqualTo("type is missing");
    assertThat(publish("{'to':{'user':'a'},'payload':1,'type':5,'clientMsgId':7,'seq':'x'}"))
        .isEqualTo(new Publish(Publish.BACKEND, List.of("a"), null, RawJson.of("1")));
  }

  @Test
  @DisplayName("what is wrong in a list is named with its place")
  void lists() throws Exception {
    assertThat(refused("{'type':'watch','users':7}").text())
        .isEqualTo("users must be an array of user names");
    assertThat(refused("{'type':'watch','users':[]}").text())
        .isEqualTo("users must name at least one user");
    assertThat(refused("{'type':'unwatch','users':['a','b c']}").text())
        .startsWith("users[1] \"b c\" must be 1-128");
    assertThat(refused("{'type':'subscribe','channels':['n:a',{'position':'p'}]}").text())
        .isEqualTo("channels[1].channel is missing");
    assertThat(refused("{'type':'subscribe','channels':[{'channel':'n:a','maxRate':0}]}").text())
        .isEqualTo("channels[0].maxRate must be a number from 0.01 to 1000");
    assertThat(refused("{'type':'subscribe','channel':'n:a','channels':['n:b']}").text())
        .isEqualTo("channel or channels must be there, one of them");
    assertThat(refused("{'type':'subscribe','channel':'news'}").text())
        .startsWith("channel \"news\" must be <namespace>:<key>");
    assertThat(refused("{'type':'subscribe','channel':'n:a','maxRate':'x'}").text())
        .isEqualTo("maxRate must be a number from 0.01 to 1000");
    assertThat(refused("{'type':'hello','clientId':'c','watch':[1]}").text())
        .isEqualTo("watch[0] must be a string");
  }

  @Test
  @DisplayName("as many users as the limits say are named, not as many as the defaults say")
  void recipients() throws Exception {
    FrameReader wide = new FrameReader(recipients(150));
    String names =
        IntStream.range(0, 150).mapToObj(i -> "'u" + i + "'").collect(Collectors.joining(","));
    byte[] body = utf8("{'to':{'users':[" + names + "]},'payload':1}");
    assertThat(wide.readPublish(body).users()).hasSize(150).endsWith("u149");
    BadFrame tooMany =
        catchThrowableOfType(
            BadFrame.class, () -> new FrameReader(recipients(149)).readPublish(body));
    assertThat(tooMany.text()).isEqualTo("to.users must name 1-149 users");
  }

  @Test
  @DisplayName("the name that is wrong is told by its place and, cut and printable, by itself")
  void names() {
    String rule = " must be 1-128 characters of [A-Za-z0-9._~@:-]";
    assertThat(refused(send("m", "['a','a','b b','c c']")).text())
        .isEqualTo("to.users[2] \"b b\"" + rule);
    assertThat(refused(send("m", "['a\\n\\u200b\\ud800é😀']")).text())
        .isEqualTo("to.users[0] \"a\\u000a\\u200b\\ud800é😀\"" + rule);
    assertThat(refused(send("m", "['" + "x".repeat(129) + "']")).text())
        .isEqualTo("to.users[0] \"" + "x".repeat(64) + "\"…" + rule);
    assertThat(refused("{'type':'send','clientMsgId':'m','to':{'user':''},'payload':1}").text())
        .isEqualTo("to.user \"\"" + rule);
  }

  @Test
  void clientMsgIds() {
    assertThat(refused(send("a\\u0000b", "['a']")).text())
        .isEqualTo("clientMsgId must not contain the control character NUL");
    assertThat(refused(send("\\ud800", "['a']")).text())
        .isEqualTo("clientMsgId must have no half of a surrogate pair alone");
    assertThat(refused(send("😀".repeat(33), "['a']")).text())
        .isEqualTo("clientMsgId must have 1-64 characters (UTF-16 code units), it has 66");
    assertThat(refused("{'type':'dance','clientMsgId':'" + "m".repeat(65) + "'}").clientMsgId())
        .as("an id that cannot be one is not repeated")
        .isNull();
  }

  @Test
  void unknownTypes() {
    assertThat(refused("{'type':'da\\tnce'}").text()).isEqualTo("unknown type \"da\\u0009nce\"");
    assertThat(refused("{'type':'" + "t".repeat(70) + "'}").text())
        .isEqualTo("unknown type \"" + "t".repeat(64) + "\"…");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hello there|not JSON at byte 0",
        "{'a':1,}|not JSON at byte 7",
        "{'a':'é',x}|not JSON at byte 10",
        "{'a':1|not JSON at byte 6",
        "[1]|a frame is one JSON object",
        "{}{}|a frame is one JSON object, not two",
      })
  void noJson(String text, String what) {
    BadFrame bad = refused(text);
    assertThat(bad.code()).isEqualTo(ErrorCode.INVALID_JSON);
    assertThat(bad.text()).isEqualTo(what);
  }

  @Test
  @DisplayName("JSON beyond what is read is not called no JSON")
  void beyond() {
    String[] deep = {"[".repeat(300), "{'a':".repeat(300)};
    for (String payload : deep) {
      assertThat(refused("{'type':'send','payload':" + payload).text())
          .isEqualTo("nested deeper than 256");
    }
    assertThat(refused("{'type':'ping','ts':" + "1".repeat(1_001) + "}").text())
        .isEqualTo("a number or a field's name is too long");
    assertThat(refused("{'" + "n".repeat(50_001) + "':1}").text())
        .isEqualTo("a number or a field's name is too long");
  }

  @Test
  @DisplayName("R-5.2 a send that is too deep is refused by its name: the connection can go on")
  void deepSend() {
    String deep = "[".repeat(300) + "]".repeat(300);
    BadFrame bad =
        refused("{'type':'send','clientMsgId':'x','to':{'user':'a'},'payload':" + deep + "}");
    assertThat(bad.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(bad.clientMsgId()).isEqualTo("x");
    assertThat(bad.text()).isEqualTo("nested deeper than 256");
    BadFrame other = refused("{'type':'watch','clientMsgId':'x','payload':" + deep + "}");
    assertThat(other.code()).isEqualTo(ErrorCode.INVALID_JSON);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1]", "{}{}", "7"})
  void aBodyIsNotCalledAFrame(String body) {
    BadFrame bad = catchThrowableOfType(BadFrame.class, () -> publish(body));
    assertThat(bad.text()).startsWith("the body is one JSON object");
  }

  @Test
  void aPublishToAChannelNamesIt() throws BadFrame {
    BadFrame bad =
        catchThrowableOfType(BadFrame.class, () -> publish("{'channel':'news','payload':1}"));
    assertThat(bad.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(publish("{'channel':'n:ews','payload':1}"))
        .isEqualTo(new Publish(Publish.BACKEND, List.of(), "n:ews", RawJson.of("1")));
  }

  private static Limits recipients(int most) {
    Limits d = Limits.DEFAULT;
    return new Limits(
        d.frameBytes(),
        d.payloadBytes(),
        d.jsonDepth(),
        most,
        d.queueBytes(),
        d.nodeQueueBytes(),
        d.pendingFrames(),
        d.awaitingWelcome(),
        d.ingressRecords(),
        d.ingressBytes(),
        d.maxConnections(),
        d.publishes(),
        d.bodyTimeoutMs(),
        d.helloTimeoutMs(),
        d.welcomeTimeoutMs(),
        d.stalledMs(),
        d.heartbeatIntervalMs(),
        d.heartbeatTimeoutMs(),
        d.idleTimeoutMs());
  }

  private static String send(String id, String users) {
    return "{'type':'send','clientMsgId':'" + id + "','to':{'users':" + users + "},'payload':1}";
  }

  private Publish publish(String text) throws BadFrame {
    return reader.readPublish(utf8(text));
  }

  private ClientFrame read(String text) throws BadFrame {
    return reader.read(utf8(text));
  }

  private BadFrame refused(String text) {
    return catchThrowableOfType(BadFrame.class, () -> read(text));
  }

  private static byte[] utf8(String text) {
    return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }
}
