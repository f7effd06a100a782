package dev.holdfast.edge.session;

import dev.holdfast.frame.ClientFrame;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;

/**
 * One connection's sends: gate, queue towards Kafka, answer. Runs under its session's lock, except
 * that outcomes arrive on a thread of the producer and take the lock through the session.
 */
final class Upstream {
  /** Told to a client whose send was refused and may come again, in milliseconds. */
  private static final long RETRY_AFTER_MS = 1_000;

  private final Session session;
  private final SessionContext context;
  private final Who who;
  private final Passport passport;
  private final SendGate gate = new SendGate();

  Upstream(Session session, SessionContext context, Who who, Passport passport) {
    this.session = session;
    this.context = context;
    this.who = who;
    this.passport = passport;
  }

  void send(ClientFrame.Send send, RateGate rate) {
    String id = send.clientMsgId();
    if (!passport.maySend(send.users())) {
      // For good: were later sends waiting for this one, they would wait for ever.
      gate.stored(id);
      refuse(ErrorCode.FORBIDDEN, "the token does not allow to send to these users", id);
      return;
    }
    if (!gate.admits(id)) {
      refuse(ErrorCode.OUT_OF_ORDER, "an earlier send was refused and must come again first", id);
      return;
    }
    long limitedMs = rate.limitedMs(who.user(), send.users());
    if (limitedMs > 0) {
      gate.refused(id);
      session.replies().refuse(ErrorCode.RATE_LIMITED, rate.why(), id, null, limitedMs);
      return;
    }
    Event.Message message = new Event.Message(who.user(), who.clientId(), id, send.payload());
    boolean taken =
        context
            .sink()
            .offer(send.users(), message, stored -> session.whileLive(() -> outcome(id, stored)));
    if (taken) {
      gate.accepted(id);
    } else {
      gate.refused(id);
      refuse(ErrorCode.OVERLOADED, "the queue towards Kafka is full", id);
    }
  }

  private void outcome(String clientMsgId, boolean stored) {
    if (stored) {
      gate.stored(clientMsgId);
      byte[] hash = MessageId.hash(who.user(), who.clientId(), clientMsgId);
      String msgId = MessageId.text(hash);
      session.replies().send(ServerFrames.sent(clientMsgId, msgId), 0);
    } else {
      gate.refused(clientMsgId);
      refuse(ErrorCode.NOT_STORED, "Kafka refused the record", clientMsgId);
    }
  }

  private void refuse(ErrorCode code, String why, String clientMsgId) {
    boolean hasNextWord = code.retryable() && code != ErrorCode.OUT_OF_ORDER;
    long retryAfterMs = hasNextWord ? RETRY_AFTER_MS : -1;
    session.replies().refuse(code, why, clientMsgId, null, retryAfterMs);
  }
}
