package dev.holdfast.edge.channel;

import dev.holdfast.channel.Position;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Asks Kafka about topics, and waits for the answer. */
final class TopicLookup implements TopicWatch.Known {
  private final Admin admin;
  private final Duration patience;

  TopicLookup(String bootstrap, String edgeId, Map<String, String> overrides, Duration patience) {
    this.admin =
        Admin.create(ChannelSettings.client(bootstrap, "holdfast-topics-" + edgeId, overrides));
    this.patience = patience;
  }

  /**
   * A topic as it is now; null when there is none of that name.
   *
   * @throws KafkaException when Kafka does not answer, or this edge may not ask
   */
  @Override
  public @Nullable Topic topic(String name) {
    try {
      TopicDescription found =
          await(admin.describeTopics(List.of(name)).topicNameValues().get(name));
      return found == null
          ? null
          : new Topic(
              Position.tag(found.topicId().getMostSignificantBits()), found.partitions().size());
    } catch (UnknownTopicOrPartitionException e) {
      return null;
    }
  }

  /**
   * The start of a partition's log. Kafka's consumer would not tell the epoch there.
   *
   * @throws KafkaException as {@link #topic}
   */
  @Override
  public LogStart begin(TopicPartition partition) {
    ListOffsetsResultInfo begin = offset(partition, OffsetSpec.earliest());
    return begin == null
        ? new LogStart(0, Epochs.UNKNOWN)
        : new LogStart(begin.offset(), begin.leaderEpoch().orElse(Epochs.UNKNOWN));
  }

  /**
   * The end of a partition's log, transactions that are open included.
   *
   * @throws KafkaException as {@link #topic}
   */
  @Override
  public long end(TopicPartition partition) {
    ListOffsetsResultInfo end = offset(partition, OffsetSpec.latest());
    return end == null ? 0 : end.offset();
  }

  private @Nullable ListOffsetsResultInfo offset(TopicPartition partition, OffsetSpec which) {
    return await(admin.listOffsets(Map.of(partition, which)).partitionResult(partition));
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }

  private <T> @Nullable T await(@Nullable KafkaFuture<T> answer) {
    if (answer == null) {
      return null;
    }
    try {
      return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KafkaException kafka) {
        throw kafka;
      }
      throw new KafkaException(e.getCause());
    } catch (java.util.concurrent.TimeoutException e) {
      throw new TimeoutException("no answer within " + patience.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }
}
