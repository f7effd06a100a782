package dev.holdfast.delivery.source.forward;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * A topic as it is now.
 *
 * @param id one that is deleted and made anew has another
 * @param partitions how many
 */
public record TopicLook(String id, int partitions) {
  /**
   * Asks a broker.
   *
   * @return empty when there is no such topic
   * @throws KafkaException when there is no answer, or it is none of our business
   */
  public static Optional<TopicLook> at(Admin admin, String topic) {
    try {
      TopicDescription found =
          admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
      return found == null
          ? Optional.empty()
          : Optional.of(new TopicLook(found.topicId().toString(), found.partitions().size()));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Optional.empty();
      }
      throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }
}
