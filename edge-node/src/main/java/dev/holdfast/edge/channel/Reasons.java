package dev.holdfast.edge.channel;

import org.apache.kafka.common.KafkaException;

/** Why a subscription does not go on where its client stood; the words are part of the protocol. */
final class Reasons {
  /** The client stood nowhere yet. */
  static final String NEW = "new";

  /** What followed the position is not kept any more. */
  static final String GAP = "gap";

  /** More follows the position than is replayed. */
  static final String TOO_FAR = "too_far";

  /** The topic was deleted and made anew. */
  static final String RECREATED = "recreated";

  /** The topic has another number of partitions, and the channel lies in another one. */
  static final String REPARTITIONED = "repartitioned";

  /** The log was cut off before the position and went on differently, or ends before it. */
  static final String TRUNCATED = "truncated";

  /** Why a position from before a topic had more partitions cannot be gone on from yet. */
  static final String UNSETTLED =
      "the channel's topic may have got more partitions a moment ago; again in some seconds";

  private Reasons() {}

  /** Why something is unavailable that Kafka was asked for. */
  static String noAnswer(KafkaException e) {
    return "Kafka does not answer: " + e.getMessage();
  }
}
