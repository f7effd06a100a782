package dev.holdfast.edge.presence;

import dev.holdfast.edge.presence.PresenceFront.Task;
import dev.holdfast.topic.Topics;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Kafka where partitions of {@code holdfast.presence} begin and how far they are committed,
 * and for the topic's id, which tells a topic from another one of the same name. Each partition is
 * answered by itself, so that one without a leader holds up no other. Never waits.
 */
final class PresenceProbe implements AutoCloseable {
  /** A request without an answer is given up and asked anew, or it would outlast the trouble. */
  private static final int REQUEST_TIMEOUT_MS = 3_000;

  private static final int QUESTION_TIMEOUT_MS = 6_000;
  private static final String TOPIC = Topics.PRESENCE.topic();
  private static final ListOffsetsOptions COMMITTED =
      new ListOffsetsOptions(IsolationLevel.READ_COMMITTED);
  private static final Logger LOG = LoggerFactory.getLogger(PresenceProbe.class);

  private final Admin admin;
  private final int partitions;
  private final Consumer<Task> answers;
  private volatile boolean complained;

  /**
   * @param partitions of the topic
   * @param answers takes what the desk is to be told
   */
  PresenceProbe(Map<String, Object> settings, int partitions, Consumer<Task> answers) {
    Map<String, Object> impatient = new HashMap<>(settings);
    impatient.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MS);
    impatient.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, QUESTION_TIMEOUT_MS);
    this.admin = Admin.create(impatient);
    this.partitions = partitions;
    this.answers = answers;
  }

  /**
   * Asks for these partitions.
   *
   * @param askedMs now, monotonic milliseconds
   */
  void ask(Collection<Integer> wanted, long askedMs) {
    List<Integer> asked = List.copyOf(wanted);
    var unused =
        admin
            .describeTopics(List.of(TOPIC))
            .allTopicNames()
            .whenComplete(
                (topics, failure) -> {
                  TopicDescription topic = topics == null ? null : topics.get(TOPIC);
                  String wrong = wrong(topic, failure);
                  if (topic == null || wrong != null) {
                    complain(wrong == null ? "no answer" : wrong);
                    if (isMissing(failure)) {
                      answers.accept((desk, nowMs) -> desk.noTopic());
                    }
                    asked.forEach(this::none);
                  } else {
                    offsets(asked, topic.topicId().toString(), askedMs);
                  }
                });
  }

  private static boolean isMissing(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof UnknownTopicOrPartitionException;
  }

  /** Why this cannot be used; null when it can. */
  private @Nullable String wrong(@Nullable TopicDescription topic, @Nullable Throwable failure) {
    if (topic == null) {
      String why = failure == null ? "it is not there" : String.valueOf(failure.getMessage());
      return "cannot ask Kafka for " + TOPIC + ": " + why;
    }
    int found = topic.partitions().size();
    if (found != partitions) {
      return TOPIC
          + " has "
          + found
          + " partitions and "
          + Topics.EVENTS.topic()
          + " has "
          + partitions
          + ": presence is told only where both have as many";
    }
    return null;
  }

  private void offsets(List<Integer> asked, String topicId, long askedMs) {
    Map<TopicPartition, OffsetSpec> first = new HashMap<>();
    Map<TopicPartition, OffsetSpec> end = new HashMap<>();
    for (int partition : asked) {
      TopicPartition one = new TopicPartition(TOPIC, partition);
      first.put(one, OffsetSpec.earliest());
      end.put(one, OffsetSpec.latest());
    }
    ListOffsetsResult firsts = admin.listOffsets(first, COMMITTED);
    ListOffsetsResult ends = admin.listOffsets(end, COMMITTED);
    for (TopicPartition one : first.keySet()) {
      var unused =
          firsts
              .partitionResult(one)
              .whenComplete(
                  (from, failure) -> {
                    if (from == null) {
                      failed(one.partition(), failure);
                    } else {
                      end(ends, one, topicId, from.offset(), askedMs);
                    }
                  });
    }
  }

  private void end(
      ListOffsetsResult ends, TopicPartition one, String topicId, long first, long askedMs) {
    int partition = one.partition();
    var unused =
        ends.partitionResult(one)
            .whenComplete(
                (to, failure) -> {
                  if (to == null) {
                    failed(partition, failure);
                  } else {
                    complained = false;
                    answers.accept(
                        (desk, nowMs) ->
                            desk.ends(partition, topicId, first, to.offset(), askedMs, nowMs));
                  }
                });
  }

  private void failed(int partition, @Nullable Throwable failure) {
    complain(
        "cannot ask Kafka for partition "
            + partition
            + " of "
            + TOPIC
            + ": "
            + (failure == null ? "no answer" : failure.getMessage()));
    none(partition);
  }

  private void none(int partition) {
    answers.accept((desk, nowMs) -> desk.noEnds(partition));
  }

  /** Once until it works again. */
  private void complain(String what) {
    if (!complained) {
      complained = true;
      LOG.atWarn().log("{}; whoever asks for presence is told to come later", what);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
