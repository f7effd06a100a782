package dev.holdfast.edge.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.RawJson;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.admission.ConnectionGuard;
import dev.holdfast.edge.admission.Rate;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.record.Event;
import java.net.InetAddress;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the limits on frames and users mean for a session. */
class RateGateTest {
  private static final String LIMITED = "\"rate_limited\"";

  private static ConnectionGuard guard(Rate user, Rate frames) {
    AdmissionConfig d = AdmissionConfig.OPEN;
    AdmissionConfig config =
        new AdmissionConfig(
            Rate.OFF,
            Rate.OFF,
            user,
            Rate.OFF,
            d.trustedCidr(),
            d.trustedProxy(),
            0,
            0,
            0,
            0,
            0,
            0,
            frames,
            Rate.OFF,
            0);
    return new Admission(config, () -> 0, new Random(1))
        .connect(InetAddress.getLoopbackAddress())
        .guard();
  }

  @Test
  @DisplayName("a send beyond the rate is not overtaken (D8)")
  void keepsTheOrderOfSends() {
    Rig rig = Rig.live(guard(Rate.OFF, new Rate(10, 10)));
    for (int i = 1; i <= 9; i++) {
      rig.sendMessage("ok" + i);
    }
    rig.sendMessage("late");
    assertThat(rig.next())
        .contains(
            LIMITED, "\"clientMsgId\":\"late\"", "\"retryable\":true", "\"retryAfterMs\":3300");
    rig.pass(1_000);
    rig.sendMessage("later");
    assertThat(rig.next()).contains("out_of_order", "\"clientMsgId\":\"later\"");
    rig.sendMessage("late");
    rig.sendMessage("later");
    assertThat(rig.next()).isEqualTo("nothing");
    assertThat(rig.log.events(Event.Message.class))
        .extracting(Event.Message::clientMsgId)
        .endsWith("ok9", "late", "later");
  }

  @Test
  void pingsCountAndAcknowledgementsAreTaken() {
    Rig rig = Rig.live(guard(Rate.OFF, new Rate(10, 10)));
    rig.session.onMessages(1, message(1));
    rig.sent.clear();
    for (int i = 0; i < 9; i++) {
      rig.text("ping");
      assertThat(rig.next()).isEqualTo("pong");
    }
    rig.text("ping");
    assertThat(rig.next()).contains(LIMITED);
    rig.text("{'type':'ping','ts':1}");
    assertThat(rig.next()).contains(LIMITED);
    rig.text("{'type':'ack','seq':1}");
    assertThat(rig.next()).isEqualTo("nothing");
    rig.pass(1_000);
    assertThat(rig.log.events(Event.Ack.class)).extracting(Event.Ack::seq).containsExactly(1L);
  }

  @Test
  void closesWhoDoesNotHeedIt() {
    Rig rig = Rig.live(guard(Rate.OFF, new Rate(10, 10)));
    for (int i = 0; i < 30; i++) {
      rig.text("ping");
    }
    assertThat(rig.closed).isEqualTo(CloseCode.RATE_LIMITED);
    assertThat(rig.reason).matches("rate_limited retryAfterMs=\\d{4,5}");
    assertThat(rig.counters.turnedAway()).containsEntry("frame_flood", 1L);
    assertThat(rig.sent).filteredOn("pong"::equals).hasSize(9);
    assertThat(rig.sent).filteredOn(f -> f.contains(LIMITED)).hasSize(10);
  }

  private static List<String> names(String start, int count) {
    return IntStream.range(0, count).mapToObj(i -> "'" + start + i + "'").toList();
  }

  @Test
  @DisplayName("each channel and user that is refused is named, 100 in an error")
  void namesWhatItRefuses() {
    Rig rig = Rig.live(guard(Rate.OFF, new Rate(10, 10)));
    for (int i = 0; i < 9; i++) {
      rig.text("ping");
    }
    rig.sent.clear();
    rig.text("{'type':'subscribe','channel':'rooms:one'}");
    assertThat(rig.next())
        .contains(LIMITED, "\"channel\":\"rooms:one\"", "\"retryAfterMs\":")
        .doesNotContain("\"channels\"");
    rig.text("{'type':'subscribe','channels':[" + String.join(",", names("rooms:", 101)) + "]}");
    assertThat(rig.next())
        .contains(LIMITED, "\"channel\":\"rooms:0\",\"channels\":[\"rooms:0\",\"rooms:1\",")
        .contains("\"rooms:99\"]");
    assertThat(rig.next()).contains(LIMITED, "\"channel\":\"rooms:100\"");
    rig.text("{'type':'watch','users':[" + String.join(",", names("u", 101)) + "]}");
    assertThat(rig.next()).contains(LIMITED, "\"users\":[\"u0\",", "\"u99\"]");
    assertThat(rig.next()).contains(LIMITED, "\"users\":[\"u100\"]");
  }

  @Test
  @DisplayName("what ends a watch or a subscription is taken, as acknowledgements are")
  void endsAreTaken() {
    Rig rig = Rig.live(guard(Rate.OFF, new Rate(10, 10)));
    rig.text("{'type':'watch','users':['ann']}");
    for (int i = 0; i < 8; i++) {
      rig.text("ping");
    }
    rig.sent.clear();
    rig.text("{'type':'unwatch','users':['ann']}");
    rig.text("{'type':'unsubscribe','channel':'rooms:one'}");
    assertThat(rig.next()).contains("\"unsubscribed\"");
    assertThat(rig.next()).isEqualTo("nothing");
    assertThat(rig.presence.watches).isEmpty();
  }

  @Test
  void whatComesBeforeTheWelcomeWaitsInOrder() {
    Rig rig = new Rig(guard(Rate.OFF, new Rate(10, 10)));
    rig.text("{'type':'hello','clientId':'c','lastSeq':0}");
    for (int i = 0; i < 15; i++) {
      rig.sendMessage("m" + i);
    }
    rig.session.onWelcome(FakeLog.welcome(0));
    assertThat(rig.log.events(Event.Message.class))
        .extracting(Event.Message::clientMsgId)
        .hasSize(15)
        .startsWith("m0")
        .endsWith("m14");
    assertThat(rig.sent).noneMatch(f -> f.contains(LIMITED));
  }

  @Test
  void aUserThatComesTooOftenGets4005AndNoConnectEvent() {
    ConnectionGuard guard = guard(new Rate(1, 1), Rate.OFF);
    Rig first = new Rig(guard);
    first.text("{'type':'hello','clientId':'c','user':'u'}");
    Rig second = new Rig(guard);
    second.text("{'type':'hello','clientId':'c','user':'u'}");
    assertThat(first.open).isTrue();
    assertThat(second.closed).isEqualTo(CloseCode.RATE_LIMITED);
    assertThat(second.reason).matches("rate_limited retryAfterMs=1\\d{3}");
    assertThat(second.log.offers).isEmpty();
    assertThat(second.sessions.awaitingWelcome()).isZero();
  }

  private static byte[] message(long seq) {
    return ServerFrames.message(seq, "m", "bob", 1, false, RawJson.of("0"));
  }
}
