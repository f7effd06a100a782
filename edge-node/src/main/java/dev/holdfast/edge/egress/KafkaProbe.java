package dev.holdfast.edge.egress;

import dev.holdfast.topic.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Asks Kafka now and then for the end of this edge's partition of {@code holdfast.deliveries}, for
 * {@code /readyz}: a round trip to the leader that the edge's clients depend on. Another broker of
 * the cluster that still answers is no help to them. Never waits.
 */
public final class KafkaProbe implements AutoCloseable {
  /** An answer older than this many milliseconds counts as none. */
  private static final long FRESH_MS = 10_000;

  /** A request without an answer is given up and asked anew, or it would outlast the trouble. */
  private static final int REQUEST_TIMEOUT_MS = 3_000;

  private static final int QUESTION_TIMEOUT_MS = 6_000;

  private final Admin admin;
  private final Map<TopicPartition, OffsetSpec> question;
  private final LongSupplier ticker;
  private final AtomicBoolean asking = new AtomicBoolean();
  private final Consumer<Boolean> there;
  private volatile long answeredAtMs;

  /**
   * @param partition of {@code holdfast.deliveries}
   * @param ticker monotonic milliseconds
   * @param there told by each answer whether there is such a topic
   */
  public KafkaProbe(
      String bootstrap,
      String edgeId,
      int partition,
      Map<String, String> overrides,
      LongSupplier ticker,
      Consumer<Boolean> there) {
    Map<String, Object> settings =
        EgressSettings.client(bootstrap, "holdfast-probe-" + edgeId, overrides);
    settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MS);
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, QUESTION_TIMEOUT_MS);
    this.admin = Admin.create(settings);
    this.question =
        Map.of(new TopicPartition(Topics.DELIVERIES.topic(), partition), OffsetSpec.latest());
    this.ticker = ticker;
    this.there = there;
    this.answeredAtMs = ticker.getAsLong();
  }

  /** Asks; where a question is still open, whether there is such a topic. */
  public void ask() {
    if (asking.compareAndSet(false, true)) {
      var unused =
          admin
              .listOffsets(question)
              .all()
              .whenComplete(
                  (end, failure) -> {
                    if (failure == null) {
                      answeredAtMs = ticker.getAsLong();
                      there.accept(true);
                    }
                    asking.set(false);
                  });
    } else {
      look();
    }
  }

  /** The end of a partition that is not there is waited for; the topic's absence is an answer. */
  private void look() {
    var unused =
        admin
            .describeTopics(List.of(Topics.DELIVERIES.topic()))
            .allTopicNames()
            .whenComplete(
                (topic, failure) -> {
                  Throwable cause =
                      failure instanceof CompletionException ? failure.getCause() : failure;
                  if (cause instanceof UnknownTopicOrPartitionException) {
                    there.accept(false);
                  }
                });
  }

  /** Whether Kafka answered within the last 10 s. */
  public boolean answered() {
    return ticker.getAsLong() - answeredAtMs < FRESH_MS;
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
