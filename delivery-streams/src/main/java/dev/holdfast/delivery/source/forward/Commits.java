package dev.holdfast.delivery.source.forward;

import dev.holdfast.delivery.source.Progress;
import dev.holdfast.delivery.source.SourceSpec;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commits how far the partitions of one member are. For the thread of its consumer. */
final class Commits {
  /** What was copied since the last commit is copied again after a kill. */
  static final Duration INTERVAL = Duration.ofMillis(250);

  private static final Logger LOG = LoggerFactory.getLogger(Commits.class);

  private final SourceSpec spec;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Positions positions;
  private final Map<TopicPartition, Long> committed = new HashMap<>();
  private long lastNanos = System.nanoTime();

  Commits(SourceSpec spec, KafkaConsumer<byte[], byte[]> consumer, Positions positions) {
    this.spec = spec;
    this.consumer = consumer;
    this.positions = positions;
  }

  /**
   * Sends a commit when it is time for one and something has changed; does not wait for it.
   *
   * @param allBegun whether every record that was fetched has been begun
   */
  void commit(Map<TopicPartition, Progress> progress, boolean allBegun) {
    if (System.nanoTime() - lastNanos < INTERVAL.toNanos()) {
      return;
    }
    lastNanos = System.nanoTime();
    if (allBegun) {
      // The ends of transactions take offsets too; they would look like a lag.
      progress.values().forEach(Progress::allBegun);
    }
    Map<TopicPartition, OffsetAndMetadata> offsets = due(progress);
    if (!offsets.isEmpty()) {
      consumer.commitAsync(offsets, this::answered);
    }
  }

  private void answered(Map<TopicPartition, OffsetAndMetadata> sent, Exception error) {
    if (error == null) {
      sent.forEach((p, at) -> committed.computeIfPresent(p, (q, before) -> at.offset()));
    } else {
      LOG.atDebug()
          .addKeyValue("source", spec.topic())
          .addKeyValue("error", error.toString())
          .log("a position was not committed; the next commit says the same and more");
    }
  }

  /**
   * Commits what is done, and waits for it.
   *
   * @throws KafkaException when it was not committed
   */
  void commitNow(Map<TopicPartition, Progress> progress, Duration patience) {
    Map<TopicPartition, OffsetAndMetadata> offsets = due(progress);
    if (!offsets.isEmpty()) {
      consumer.commitSync(offsets, patience);
    }
  }

  /** These partitions are no longer the member's, or begin anew. */
  void forget(Collection<TopicPartition> partitions) {
    partitions.forEach(committed::remove);
  }

  private Map<TopicPartition, OffsetAndMetadata> due(Map<TopicPartition, Progress> of) {
    Map<TopicPartition, OffsetAndMetadata> due = new HashMap<>();
    of.forEach(
        (partition, done) -> {
          long next = done.next();
          if (next > committed.computeIfAbsent(partition, p -> -1L)) {
            due.put(partition, positions.at(next, done.epoch()));
          }
        });
    return due;
  }
}
