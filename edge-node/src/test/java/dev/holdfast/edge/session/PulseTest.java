package dev.holdfast.edge.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.record.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PulseTest {
  private static final long INTERVAL = Limits.DEFAULT.heartbeatIntervalMs();
  private static final long TIMEOUT = Limits.DEFAULT.heartbeatTimeoutMs();

  private final EdgeCounters counters = new EdgeCounters();

  @Test
  @DisplayName("R-3.5 a silent connection is pinged, and dropped when nothing comes")
  void dropsASilentConnectionWithoutAClosingHandshake() {
    Rig rig = Rig.live();
    long begun = rig.nowMs;
    while (!rig.aborted && rig.nowMs - begun < 120_000) {
      rig.pass(1_000);
    }
    assertThat(rig.nowMs - begun).isBetween(INTERVAL + TIMEOUT, INTERVAL + TIMEOUT + 2_000);
    assertThat(rig.pings).isEqualTo(1);
    assertThat(rig.open).as("no close frame was sent").isTrue();
    assertThat(rig.log.events(Event.Disconnect.class).get(0).reason())
        .isEqualTo("heartbeat_timeout");
    assertThat(rig.counters.heartbeatsMissed.sum()).isEqualTo(1);
    assertThat(rig.counters.pingsSent.sum()).isEqualTo(1);
    assertThat(rig.sessions.size()).isZero();
  }

  @Test
  @DisplayName("R-3.6 protocol pongs keep a connection alive, but not from 4003")
  void protocolPongsAreLifeButNoApplicationFrames() {
    Rig rig = Rig.live();
    long begun = rig.nowMs;
    int answered = 0;
    while (rig.open && rig.nowMs - begun < 120_000) {
      rig.pass(1_000);
      if (rig.pings > answered) {
        answered = rig.pings;
        rig.session.onLife();
      }
    }
    assertThat(rig.aborted).isFalse();
    assertThat(rig.closed).isEqualTo(CloseCode.IDLE_TIMEOUT);
    assertThat(rig.nowMs - begun).isEqualTo(Limits.DEFAULT.idleTimeoutMs() + 1_000);
    assertThat(answered).isBetween(2, 4);
  }

  @Test
  void whoBeatsByItselfIsPingedOnceAtMost() {
    Rig rig = Rig.live();
    for (int i = 0; i < 40; i++) {
      for (int second = 0; second < INTERVAL / 1_000; second++) {
        rig.pass(1_000);
      }
      rig.session.onPing();
      assertThat(rig.next()).isEqualTo("pong");
    }
    assertThat(rig.open).isTrue();
    assertThat(rig.pings).isLessThanOrEqualTo(2);
  }

  @Test
  void anyFrameIsLife() {
    Rig rig = Rig.live();
    for (int second = 0; second < 300; second++) {
      rig.pass(1_000);
      if (second % 20 == 0) {
        rig.text("{'type':'ack','seq':0}");
      }
    }
    assertThat(rig.aborted).isFalse();
    assertThat(rig.open).isTrue();
  }

  @Test
  void aProcessThatStoodStillDropsNobodyWhoseAnswerWaits() {
    Rig rig = Rig.live();
    while (rig.pings == 0) {
      rig.pass(1_000);
    }
    rig.pass(50_000);
    assertThat(rig.aborted).as("the answer may be in the socket, unread").isFalse();
    rig.session.onLife();
    rig.pass(1_000);
    assertThat(rig.aborted).isFalse();
  }

  @Test
  void beforeTheWelcomeItsOwnTimeOutsHold() {
    Rig rig = new Rig();
    rig.pass(INTERVAL);
    assertThat(rig.pings).isZero();
    assertThat(rig.closed).isEqualTo(CloseCode.HELLO_TIMEOUT);
  }

  @Test
  void connectionsOpenedTogetherAreNotPingedTogether() {
    Random random = new Random(7);
    List<Pulse> pulses = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      Pulse pulse = new Pulse(Limits.DEFAULT, 0);
      pulse.start(0, random.nextInt());
      pulses.add(pulse);
    }
    long before = 0;
    long largest = 0;
    Rig socket = new Rig();
    for (long now = 1_000; now <= 10 * INTERVAL; now += 1_000) {
      for (Pulse pulse : pulses) {
        int pings = socket.pings;
        assertThat(pulse.dead(now, socket, counters)).isFalse();
        if (socket.pings > pings) {
          pulse.seen(now);
        }
      }
      largest = Math.max(largest, counters.pingsSent.sum() - before);
      before = counters.pingsSent.sum();
    }
    assertThat(before).isBetween(90_000L, 110_000L);
    assertThat(largest).as("in one second of %s", INTERVAL).isLessThan(1_000);
  }

  @Test
  void aWelcomeSetsTheClockAnew() {
    Rig rig = new Rig();
    rig.text("{'type':'hello','clientId':'c','lastSeq':0}");
    rig.pass(29_000);
    rig.session.onWelcome(FakeLog.welcome(0));
    rig.pass(INTERVAL / 2 - 1);
    assertThat(rig.pings).isZero();
    assertThat(rig.open).isTrue();
  }
}
