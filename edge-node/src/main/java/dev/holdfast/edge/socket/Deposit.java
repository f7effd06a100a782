package dev.holdfast.edge.socket;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Publishers;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.Publish;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;

/** A message of a backend on its way to Kafka: to mailboxes, or to a channel. */
final class Deposit {
  private Deposit() {}

  /** The message's id. */
  static String msgId(Publish publish, String key) {
    String channel = publish.channel();
    return MessageId.text(
        channel == null
            ? MessageId.hash(publish.from(), "", key)
            : MessageId.hash(publish.from(), "", key, channel));
  }

  /**
   * Hands the message over.
   *
   * @param key the backend's own id of it
   * @param outcome told once, perhaps before this returns
   */
  static void offer(
      SessionContext context, Publish publish, String key, Channels.Published outcome) {
    String to = publish.channel();
    if (to != null) {
      offer(context, publish, to, key, outcome);
      return;
    }
    Event event = new Event.Message(publish.from(), "", key, publish.payload());
    boolean taken =
        context
            .sink()
            .offer(
                publish.users(),
                event,
                stored -> {
                  if (stored) {
                    outcome.stored();
                  } else {
                    outcome.refused(ErrorCode.NOT_STORED, "Kafka refused the record");
                  }
                });
    if (!taken) {
      outcome.refused(ErrorCode.OVERLOADED, "the queue towards Kafka is full");
    }
  }

  private static void offer(
      SessionContext context, Publish publish, String to, String key, Channels.Published outcome) {
    ChannelName channel = ChannelName.of(to);
    Namespace namespace = channel == null ? null : context.channels().namespace(channel);
    if (channel == null || namespace == null) {
      outcome.refused(ErrorCode.NO_SUCH_CHANNEL, "no namespace of this server serves the channel");
    } else if (namespace.publish() == Publishers.NONE) {
      outcome.refused(ErrorCode.FORBIDDEN, "this server does not write to the channel's topic");
    } else {
      context
          .channels()
          .publish(
              namespace, channel, msgId(publish, key), publish.from(), publish.payload(), outcome);
    }
  }
}
