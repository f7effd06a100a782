package dev.holdfast.edge.channel;

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

  private Trouble() {}

  /**
   * Which of the partitions that are read it is about, and what their subscribers are told.
   *
   * @return empty when it is about none in particular
   */
  static Map<TopicPartition, String> of(KafkaException e, Set<TopicPartition> partitions) {
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
    TopicPartition damaged = Damaged.named(e.getMessage(), partitions);
    if (damaged != null) {
      LOG.atError().setCause(e).log("{} cannot be read: look at its log on the broker", damaged);
      concerned.put(damaged, damaged + " cannot be read: a record in it is damaged");
    }
    return concerned;
  }
}
