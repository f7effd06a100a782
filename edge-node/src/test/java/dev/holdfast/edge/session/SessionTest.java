package dev.holdfast.edge.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.record.Event;
import dev.holdfast.record.FrameBatch;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SessionTest {
  private static final byte[] FRAME = "{}".getBytes(StandardCharsets.UTF_8);

  @Test
  void helloBecomesAConnectUnderTheUsersKey() {
    Rig rig = new Rig();
    rig.text("{'type':'hello','clientId':'c','user':'ann','lastSeq':4,'epoch':'e','attempt':9}");
    FakeLog.Offer offer = rig.log.offers.get(0);
    assertThat(offer.users()).containsExactly("ann");
    assertThat(offer.event())
        .isEqualTo(
            new Event.Connect("c", rig.session.connId(), rig.identity.current(), 4L, "e", 9L));
  }

  @Test
  void onlyTheFirstWelcomeCounts() {
    Rig rig = new Rig();
    rig.text("{'type':'hello','clientId':'c'}");
    rig.session.onWelcome(FakeLog.welcome(5));
    rig.session.onWelcome(FakeLog.welcome(9));
    assertThat(rig.sent).hasSize(1);
    rig.session.onMessages(6, FRAME);
    assertThat(rig.sent).hasSize(2);
    assertThat(rig.sessions.awaitingWelcome()).isZero();
  }

  @Test
  void holdsFramesUntilTheWelcomeButAnswersPings() {
    Rig rig = new Rig();
    rig.text("{'type':'hello','clientId':'c','lastSeq':3}");
    rig.sendMessage("m1");
    rig.text("{'type':'ack','seq':4}");
    rig.text("ping");
    rig.text("{'type':'ping','ts':1}");
    assertThat(rig.next()).isEqualTo("pong");
    assertThat(rig.next()).contains("\"pong\"", "\"seq\":0");
    rig.session.onWelcome(FakeLog.welcome(3));
    assertThat(rig.next()).contains("\"welcome\"");
    assertThat(rig.next()).contains("ack_beyond_sent");
    assertThat(rig.log.events(Event.Message.class)).hasSize(1);
  }

  @Test
  void stopsReadingWhenTooManyFramesAreHeld() {
    Rig rig = new Rig();
    rig.text("{'type':'hello','clientId':'c'}");
    for (int i = 0; i < Limits.DEFAULT.pendingFrames(); i++) {
      assertThat(rig.reading).isTrue();
      rig.sendMessage("m" + i);
    }
    assertThat(rig.reading).isFalse();
    rig.session.onWelcome(FakeLog.welcome(0));
    assertThat(rig.reading).isTrue();
    assertThat(rig.log.events(Event.Message.class)).hasSize(Limits.DEFAULT.pendingFrames());
  }

  @Test
  void aHelloThatFindsTheQueueFullIsToldToComeLater() {
    Rig rig = new Rig();
    rig.log.full = true;
    rig.text("{'type':'hello','clientId':'c'}");
    assertThat(rig.closed).isEqualTo(CloseCode.TRY_AGAIN_LATER);
    assertThat(rig.log.offers).isEmpty();
    assertThat(rig.sessions.awaitingWelcome()).isZero();
  }

  @Test
  void aConnectThatKafkaRefusesEndsTheConnection() {
    Rig rig = new Rig();
    rig.text("{'type':'hello','clientId':'c'}");
    outcome(rig, 0, false);
    assertThat(rig.closed).isEqualTo(CloseCode.TRY_AGAIN_LATER);
  }

  @Test
  void timeOutsEachHaveTheirCode() {
    Rig mute = new Rig();
    mute.pass(Limits.DEFAULT.helloTimeoutMs());
    assertThat(mute.open).isTrue();
    mute.pass(1);
    assertThat(mute.closed).isEqualTo(CloseCode.HELLO_TIMEOUT);
    assertThat(mute.log.offers).isEmpty();

    Rig waiting = new Rig();
    waiting.text("{'type':'hello','clientId':'c'}");
    waiting.pass(Limits.DEFAULT.welcomeTimeoutMs() + 1);
    assertThat(waiting.closed).isEqualTo(CloseCode.TRY_AGAIN_LATER);

    Rig idle = Rig.live();
    idle.pass(Limits.DEFAULT.idleTimeoutMs());
    idle.text("ping");
    idle.pass(Limits.DEFAULT.idleTimeoutMs());
    assertThat(idle.open).isTrue();
    idle.pass(1);
    assertThat(idle.closed).isEqualTo(CloseCode.IDLE_TIMEOUT);
    idle.pass(Session.CLOSE_GRACE_MS + 1);
    assertThat(idle.aborted).isTrue();
    assertThat(idle.sessions.size()).isZero();
  }

  @Test
  void aSendIsToldSentOnceEveryRecordIsStored() {
    Rig rig = Rig.live();
    rig.sendMessage("m1");
    assertThat(rig.sent).isEmpty();
    outcome(rig, 1, true);
    assertThat(rig.next()).contains("\"sent\"", "\"m1\"", "\"msgId\"");
  }

  @Test
  void aRefusedSendShutsTheGateUntilItComesAgain() {
    Rig rig = Rig.live();
    rig.log.full = true;
    rig.sendMessage("m1");
    assertThat(rig.next()).contains("overloaded", "\"retryable\":true", "\"retryAfterMs\":1000");
    rig.log.full = false;
    rig.sendMessage("m2");
    assertThat(rig.next()).contains("out_of_order", "\"m2\"");
    rig.sendMessage("m1");
    rig.sendMessage("m2");
    assertThat(rig.sent).isEmpty();
    assertThat(rig.log.events(Event.Message.class))
        .extracting(Event.Message::clientMsgId)
        .containsExactly("m1", "m2");
  }

  @Test
  void aSendThatKafkaRefusesIsNotStoredAndShutsTheGate() {
    Rig rig = Rig.live();
    rig.sendMessage("m1");
    outcome(rig, 1, false);
    assertThat(rig.next()).contains("not_stored", "\"m1\"", "\"retryable\":true");
    rig.sendMessage("m2");
    assertThat(rig.next()).contains("out_of_order");
  }

  @Test
  void ofSeveralMessagesTogetherWhatIsNewPasses() {
    Rig rig = Rig.live();
    rig.session.onMessages(1, FrameBatch.join(List.of(bytes("\"a\""), bytes("\"b\""))));
    rig.session.onMessages(
        2, FrameBatch.join(List.of(bytes("\"b\""), bytes("\"c\""), bytes("\"d\""))));
    assertThat(List.of(rig.next(), rig.next(), rig.next(), rig.next()))
        .containsExactly("\"a\"", "\"b\"", "\"c\"", "\"d\"");
    assertThat(rig.counters.repeatsDropped.sum()).isEqualTo(1);
    rig.text("{'type':'ack','seq':4}");
    assertThat(rig.log.events(Event.Ack.class)).extracting(Event.Ack::seq).containsExactly(4L);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aGapAsksTheLogOnceASecond() {
    Rig rig = Rig.live();
    rig.session.onMessages(1, FRAME);
    rig.session.onMessages(3, FRAME);
    rig.session.onMessages(4, FRAME);
    List<Event.Resync> asked = rig.log.events(Event.Resync.class);
    assertThat(asked).hasSize(1);
    assertThat(asked.get(0).from()).isEqualTo(1);
    assertThat(asked.get(0).synced()).isFalse();
    assertThat(rig.sent).hasSize(1);
    rig.pass(DeliveryFilter.RESYNC_PATIENCE_MS);
    assertThat(rig.log.events(Event.Resync.class)).hasSize(2);
    assertThat(rig.counters.gaps.sum()).isEqualTo(2);
  }

  @Test
  void aLostTailIsAskedForWhenTheLogSaysItWasSent() {
    Rig rig = Rig.live();
    rig.session.onSync(2, ServerFrames.sync(2, -1));
    assertThat(rig.log.events(Event.Resync.class))
        .extracting(Event.Resync::from)
        .containsExactly(0L);
    rig.session.onMessages(1, FRAME);
    rig.session.onMessages(2, FRAME);
    rig.session.onSync(2, ServerFrames.sync(2, -1));
    rig.pass(DeliveryFilter.RESYNC_PATIENCE_MS);
    assertThat(rig.log.events(Event.Resync.class)).hasSize(1);
    rig.session.onHeld(3);
    assertThat(rig.log.events(Event.Resync.class)).hasSize(2);
    assertThat(rig.log.events(Event.Resync.class).get(1).from()).isEqualTo(2);
  }

  @Test
  void syncComesOnceAndNotBeforeItsMessages() {
    Rig rig = Rig.live();
    rig.session.onSync(1, ServerFrames.sync(1, -1));
    assertThat(rig.sent).isEmpty();
    rig.session.onMessages(1, FRAME);
    rig.session.onSync(1, ServerFrames.sync(1, -1));
    rig.session.onSync(1, ServerFrames.sync(1, -1));
    assertThat(rig.sent).hasSize(2);
  }

  @Test
  void anAckThatFindsNoRoomGoesLater() {
    Rig rig = Rig.live();
    rig.session.onMessages(1, FRAME);
    rig.log.full = true;
    rig.text("{'type':'ack','seq':1}");
    rig.session.onSync(1, ServerFrames.sync(1, -1));
    assertThat(rig.log.events(Event.Ack.class)).isEmpty();
    rig.log.full = false;
    rig.pass(AckCoalescer.HOLD_MS);
    assertThat(rig.log.events(Event.Ack.class)).extracting(Event.Ack::seq).containsExactly(1L);
  }

  @Test
  void anAckThatKafkaRefusesGoesAgain() {
    Rig rig = Rig.live();
    rig.session.onMessages(1, FRAME);
    rig.text("{'type':'ack','seq':1}");
    rig.session.onSync(1, ServerFrames.sync(1, -1));
    assertThat(rig.log.events(Event.Ack.class)).hasSize(1);
    outcome(rig, 1, false);
    rig.pass(AckCoalescer.HOLD_MS);
    assertThat(rig.log.events(Event.Ack.class)).extracting(Event.Ack::seq).containsExactly(1L, 1L);
    outcome(rig, 2, true);
    rig.pass(10 * AckCoalescer.HOLD_MS);
    rig.session.close(CloseCode.SERVER_RESTART);
    outcome(rig, 1, false);
    rig.pass(AckCoalescer.HOLD_MS);
    assertThat(rig.log.events(Event.Ack.class)).hasSize(2);
  }

  @Test
  void whatIsHeldIsOnTheNodesAccountUntilItIsTaken() {
    Rig rig = new Rig();
    rig.text("{'type':'hello','clientId':'c'}");
    assertThat(rig.heldBytes).isZero();
    rig.sendMessage("m1");
    assertThat(rig.heldBytes).isGreaterThan(40);
    rig.session.onWelcome(FakeLog.welcome(0));
    assertThat(rig.heldBytes).isZero();

    Rig ended = new Rig();
    ended.text("{'type':'hello','clientId':'c'}");
    ended.sendMessage("m1");
    ended.nodeFull = true;
    ended.sendMessage("m2");
    assertThat(ended.closed).isEqualTo(CloseCode.TRY_AGAIN_LATER);
    assertThat(ended.heldBytes).isZero();
  }

  @Test
  void theLastAckGoesBeforeTheDisconnect() {
    Rig rig = Rig.live();
    rig.session.onSync(0, ServerFrames.sync(0, -1));
    rig.session.onMessages(1, FRAME);
    rig.session.onMessages(2, FRAME);
    rig.text("{'type':'ack','seq':1}");
    rig.text("{'type':'ack','seq':2}");
    rig.session.onSocketClosed();
    int last = rig.log.offers.size() - 1;
    assertThat(rig.log.offers.get(last - 1).event()).isInstanceOf(Event.Ack.class);
    assertThat(rig.log.offers.get(last).event()).isInstanceOf(Event.Disconnect.class);
    assertThat(rig.log.events(Event.Ack.class)).extracting(Event.Ack::seq).containsExactly(2L);
  }

  @Test
  void aFullWindowWithoutAnAckIsASlowConsumer() {
    Rig rig = Rig.live();
    rig.session.onMessages(1, FRAME);
    rig.session.onMessages(2, FRAME);
    rig.session.onHeld(2);
    rig.pass(Limits.DEFAULT.stalledMs());
    rig.text("{'type':'ack','seq':1}");
    rig.pass(1);
    assertThat(rig.open).isTrue();
    rig.session.onHeld(2);
    rig.text("ping");
    rig.pass(Limits.DEFAULT.stalledMs() + 1);
    assertThat(rig.closed).isEqualTo(CloseCode.SLOW_CONSUMER);
  }

  @Test
  void aLateHeldAfterTheLastAckMeansNothing() {
    Rig rig = Rig.live();
    rig.session.onMessages(1, FRAME);
    rig.text("{'type':'ack','seq':1}");
    rig.session.onHeld(1);
    rig.pass(Limits.DEFAULT.stalledMs() + 1);
    assertThat(rig.open).isTrue();
  }

  @Test
  void whatTheLogSendsLateIsNotTheClientsDelay() {
    Rig rig = Rig.live();
    rig.session.onMessages(1, FRAME);
    rig.text("{'type':'ack','seq':1}");
    rig.session.onHeld(1);
    rig.pass(Limits.DEFAULT.stalledMs());
    rig.session.onMessages(2, FRAME);
    rig.pass(Limits.DEFAULT.stalledMs());
    assertThat(rig.open).isTrue();
    rig.session.onMessages(3, FRAME);
    rig.text("ping");
    rig.pass(1);
    assertThat(rig.closed).isEqualTo(CloseCode.SLOW_CONSUMER);
  }

  @Test
  void aQueueThatIsFullIsASlowConsumer() {
    Rig rig = Rig.live();
    rig.full = true;
    rig.session.onMessages(1, FRAME);
    assertThat(rig.closed).isEqualTo(CloseCode.SLOW_CONSUMER);
    assertThat(rig.log.events(Event.Disconnect.class)).hasSize(1);
  }

  @Test
  void a1012FromTheLogIsSpreadOut() {
    Rig rig = Rig.live();
    rig.session.onClose(CloseCode.SERVICE_RESTART);
    rig.session.onClose(CloseCode.SERVICE_RESTART);
    assertThat(rig.open).isTrue();
    assertThat(rig.later).hasSize(1);
    rig.later.get(0).run();
    assertThat(rig.closed).isEqualTo(CloseCode.SERVICE_RESTART);
    assertThat(rig.log.events(Event.Disconnect.class)).isEmpty();
    assertThat(rig.log.forgotten).containsExactly(rig.session.connId());
  }

  @Test
  void aConnectionOfAnOldIncarnationIsClosed() {
    Rig rig = Rig.live();
    rig.identity.renew(1_700_000_100_000L);
    rig.pass(1_000);
    assertThat(rig.later).hasSize(1);
  }

  @Test
  void nothingIsDoneForAConnectionThatEnded() {
    Rig rig = Rig.live();
    rig.session.close(CloseCode.SERVER_RESTART);
    rig.sendMessage("m1");
    rig.session.onMessages(1, FRAME);
    rig.session.close(CloseCode.INTERNAL_ERROR);
    rig.session.onSocketClosed();
    assertThat(rig.sent).isEmpty();
    assertThat(rig.closed).isEqualTo(CloseCode.SERVER_RESTART);
    assertThat(rig.log.events(Event.Message.class)).isEmpty();
    assertThat(rig.log.events(Event.Disconnect.class)).hasSize(1);
  }

  private static void outcome(Rig rig, int offer, boolean stored) {
    Objects.requireNonNull(rig.log.offers.get(offer).outcome()).done(stored);
  }
}
