package dev.holdfast.edge.session;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Publishers;
import dev.holdfast.frame.ClientFrame;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;
import org.jspecify.annotations.Nullable;

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

  /** A message for a channel; it keeps its place among the connection's other sends. */
  void post(ClientFrame.Post post, RateGate rate) {
    String id = post.clientMsgId();
    String name = post.channel();
    ChannelName channel = ChannelName.of(name);
    Namespace namespace = channel == null ? null : context.channels().namespace(channel);
    if (channel == null || namespace == null) {
      gate.stored(id);
      refuse(ErrorCode.NO_SUCH_CHANNEL, "no namespace serves " + name, id, name);
      return;
    }
    if (namespace.publish() != Publishers.CLIENTS || !passport.mayPost(namespace, name)) {
      gate.stored(id);
      refuse(ErrorCode.FORBIDDEN, "clients may not write, or this one not", id, name);
      return;
    }
    if (!gate.admits(id)) {
      String why = "an earlier send was refused and must come again first";
      refuse(ErrorCode.OUT_OF_ORDER, why, id, name);
      return;
    }
    long limitedMs = rate.limitedMs();
    if (limitedMs > 0) {
      gate.refused(id);
      session.replies().refuse(ErrorCode.RATE_LIMITED, rate.why(), id, name, limitedMs);
      return;
    }
    gate.accepted(id);
    String msgId = MessageId.text(MessageId.hash(who.user(), who.clientId(), id, name));
    context
        .channels()
        .publish(
            namespace, channel, msgId, who.user(), post.payload(), new Posted(id, name, msgId));
  }

  /** What became of a message for a channel. */
  private final class Posted implements Channels.Published {
    private final String clientMsgId;
    private final String channel;
    private final String msgId;

    Posted(String clientMsgId, String channel, String msgId) {
      this.clientMsgId = clientMsgId;
      this.channel = channel;
      this.msgId = msgId;
    }

    @Override
    public void stored() {
      session.whileLive(
          () -> {
            gate.stored(clientMsgId);
            session.replies().send(ServerFrames.sent(clientMsgId, msgId), 0);
          });
    }

    @Override
    public void refused(ErrorCode code, String why) {
      session.whileLive(
          () -> {
            if (code == ErrorCode.UNAVAILABLE) {
              // Others need not wait for this channel's topic, which may never come.
              gate.stored(clientMsgId);
              session.replies().refuseForGood(code, why, clientMsgId, channel);
              return;
            }
            if (code.retryable()) {
              gate.refused(clientMsgId);
            } else {
              gate.stored(clientMsgId);
            }
            refuse(code, why, clientMsgId, channel);
          });
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
    refuse(code, why, clientMsgId, null);
  }

  private void refuse(ErrorCode code, String why, String clientMsgId, @Nullable String channel) {
    boolean hasNextWord = code.retryable() && code != ErrorCode.OUT_OF_ORDER;
    long retryAfterMs = hasNextWord ? RETRY_AFTER_MS : -1;
    session.replies().refuse(code, why, clientMsgId, channel, retryAfterMs);
  }
}
