package dev.holdfast.edge.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.edge.FakeChannels;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SubscriptionsTest {
  private static final byte[] EVENT = "{\"type\":\"event\"}".getBytes(StandardCharsets.UTF_8);

  private final Rig rig = Rig.live();
  private final FakeChannels channels = rig.channels;

  @Test
  @DisplayName("what hello names begins with the welcome, each answered by itself")
  void hello() {
    Rig fresh = new Rig();
    fresh.text(
        "{\"type\":\"hello\",\"clientId\":\"c\",\"channels\":[\"rooms:a\",{\"channel\":\"ticks:b\","
            + "\"position\":\""
            + FakeChannels.POSITION
            + "\",\"maxRate\":2}]}");
    assertThat(fresh.channels.subscribed).isEmpty();
    fresh.session.onWelcome(FakeLog.welcome(0));
    assertThat(fresh.channels.subscribed).hasSize(2);
    assertThat(fresh.channels.subscribed.get(1).maxRate).isEqualTo(2);
    assertThat(fresh.channels.subscribed.get(1).from).isNotNull();
  }

  @Test
  void refusesWhatIsWrong() {
    refused("{\"type\":\"subscribe\",\"channel\":\"no:a\"}", "no_such_channel");
    refused("{\"type\":\"subscribe\",\"channel\":\"rooms:a\",\"position\":\"x\"}", "bad_frame");
    refused("{\"type\":\"subscribe\",\"channel\":\"rooms:a\",\"maxRate\":1}", "bad_frame");
    channels.refusal = ErrorCode.OVERLOADED;
    refused("{\"type\":\"subscribe\",\"channel\":\"rooms:a\"}", "overloaded");
    assertThat(channels.subscribed).isEmpty();
  }

  @Test
  @DisplayName("a connection has so many channels; naming one again replaces it")
  void most() {
    for (String name : new String[] {"a", "b", "c", "b"}) {
      rig.text("{\"type\":\"subscribe\",\"channel\":\"rooms:" + name + "\"}");
    }
    assertThat(channels.subscribed).hasSize(4);
    assertThat(channels.subscribed.get(1).closed).isTrue();
    refused("{\"type\":\"subscribe\",\"channel\":\"rooms:d\"}", "too_many");
    rig.text("{\"type\":\"unsubscribe\",\"channel\":\"rooms:a\"}");
    rig.text("{\"type\":\"subscribe\",\"channel\":\"rooms:d\"}");
    assertThat(channels.subscribed).hasSize(5);
  }

  @Test
  @DisplayName("after unsubscribed, and after the end, nothing is sent any more")
  void end() {
    rig.text("{\"type\":\"subscribe\",\"channels\":[\"rooms:a\",\"rooms:b\"]}");
    var first = channels.subscribed.get(0);
    var second = channels.subscribed.get(1);
    first.to.send(EVENT);
    assertThat(rig.last()).contains("event");
    rig.text("{\"type\":\"unsubscribe\",\"channel\":\"rooms:a\"}");
    assertThat(rig.last()).contains("unsubscribed", "rooms:a");
    assertThat(first.closed).isTrue();
    first.to.send(EVENT);
    assertThat(rig.last()).contains("unsubscribed");
    rig.session.close(CloseCode.NORMAL);
    assertThat(second.closed).isTrue();
    int sent = rig.sent.size();
    second.to.send(EVENT);
    assertThat(rig.sent).hasSize(sent);
  }

  @Test
  @DisplayName("one that cannot be served ends with an error that may be tried again")
  void unavailable() {
    rig.text("{\"type\":\"subscribe\",\"channel\":\"rooms:a\"}");
    channels.subscribed.get(0).to.unavailable("topic rooms does not exist");
    assertThat(rig.last())
        .contains("unavailable", "does not exist", "rooms:a", "\"retryable\":true");
    channels.subscribed.get(0).to.stalled();
    assertThat(rig.closed).isEqualTo(CloseCode.SLOW_CONSUMER);
  }

  @Test
  @DisplayName("a message for a channel keeps its place among the sends")
  void post() {
    refused(post("1", "no:a"), "no_such_channel");
    refused(post("1", "news:a"), "forbidden");
    channels.refusal = ErrorCode.OVERLOADED;
    refused(post("2", "rooms:a"), "overloaded");
    channels.refusal = null;
    refused(post("3", "rooms:a"), "out_of_order");
    rig.text(post("2", "rooms:a"));
    rig.text(post("3", "rooms:a"));
    assertThat(rig.last()).contains("\"sent\"", "\"3\"");
    assertThat(channels.posted).hasSize(2);
    assertThat(channels.posted.get(0).from()).isEqualTo("c");
    channels.refusal = ErrorCode.PAYLOAD_TOO_LARGE;
    refused(post("4", "rooms:a"), "payload_too_large");
    channels.refusal = null;
    rig.text(post("5", "rooms:a"));
    assertThat(rig.last()).contains("\"sent\"", "\"5\"");
  }

  @Test
  @DisplayName("a message for a channel without a topic is refused for good, and holds up no other")
  void noTopic() {
    channels.refusal = ErrorCode.UNAVAILABLE;
    refused(post("1", "rooms:a"), "unavailable");
    assertThat(rig.last())
        .contains("\"retryable\":false", "\"clientMsgId\":\"1\"")
        .doesNotContain("retryAfterMs");
    channels.refusal = null;
    rig.sendMessage("2");
    assertThat(rig.log.events(Event.Message.class))
        .extracting(Event.Message::clientMsgId)
        .containsExactly("2");
    rig.text(post("3", "rooms:b"));
    assertThat(rig.last()).contains("\"sent\"", "\"3\"");
  }

  @Test
  @DisplayName("one id sent to several channels names several messages")
  void channelIsPartOfTheIdentity() {
    rig.text(post("1", "rooms:a"));
    rig.text(post("1", "rooms:b"));
    rig.text(post("1", "rooms:a"));
    List<String> ids = channels.posted.stream().map(FakeChannels.Posted::msgId).toList();
    assertThat(ids.get(0)).isNotEqualTo(ids.get(1)).isEqualTo(ids.get(2));
    assertThat(rig.last()).contains("\"msgId\":\"" + ids.get(0) + "\"");
    assertThat(ids).doesNotContain(MessageId.text(MessageId.hash("c", "c", "1")));
  }

  private void refused(String frame, String code) {
    rig.text(frame);
    assertThat(rig.last()).contains("\"error\"", "\"" + code + "\"", "\"channel\"");
  }

  private static String post(String id, String channel) {
    return "{\"type\":\"send\",\"clientMsgId\":\""
        + id
        + "\",\"channel\":\""
        + channel
        + "\",\"payload\":1}";
  }
}
