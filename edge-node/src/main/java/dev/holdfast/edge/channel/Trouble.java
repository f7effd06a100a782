package dev.holdfast.edge.channel;

import dev.holdfast.edge.session.Seldom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a failed read means, and for whom: one topic's trouble is nobody else's (D13). */
final class Trouble {
  private static final Logger LOG = LoggerFactory.getLogger(Trouble.class);

  private final Seldom complaint = new Seldom();

  /**
   * Which of the partitions that are read it is about, and what their subscribers are told.
   *
   * @return empty when it is about none in particular
   */
  Map<TopicPartition, String> of(KafkaException e, Set<TopicPartition> partitions) {
    Map<TopicPartition, String> concerned = new LinkedHashMap<>();
    if (e instanceof TopicAuthorizationException no) {
      for (TopicPartition partition : partitions) {
        String topic = partition.topic();
        if (no.unauthorizedTopics().contains(topic)) {
          concerned.put(partition, "this edge may not read topic " + topic);
        }
      }
      return concerned;
    }
    Damaged damaged = Damaged.in(e, partitions);
    if (damaged != null) {
      if (complaint.now()) {
        LOG.error(damaged.advice());
      }
      concerned.put(damaged.partition(), damaged.why());
    }
    return concerned;
  }
}
