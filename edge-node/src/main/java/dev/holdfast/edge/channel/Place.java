package dev.holdfast.edge.channel;

import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition of a namespace's topic, as the topic is now.
 *
 * @param topic the topic's tag, see {@link Position#tag}
 * @param eventBytes longest payload of an event
 */
record Place(Namespace namespace, String topic, int partition, int eventBytes) {
  /** The partition as Kafka names it. */
  TopicPartition log() {
    return new TopicPartition(namespace.topic(), partition);
  }

  /** The position from which the record at {@code next} is the next one. */
  String position(long next, int epoch) {
    return Position.text(topic, partition, next, epoch);
  }
}
