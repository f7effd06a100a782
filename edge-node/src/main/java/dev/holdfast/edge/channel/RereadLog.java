package dev.holdfast.edge.channel;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** The consumer of what is read again. One thread, but for {@link #wakeup}. */
final class RereadLog implements Rereads.Source {
  /** Most milliseconds that a broker lets a read wait; who comes next has to wait for it. */
  private static final int FETCH_WAIT_MS = 20;

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final TopicWatch topics;
  private final Duration patience;
  private Set<TopicPartition> assigned = Set.of();

  /**
   * @param patience longest wait for an answer about offsets
   */
  RereadLog(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      TopicWatch topics,
      Duration patience) {
    this.consumer =
        ChannelSettings.consumer(
            bootstrap,
            "holdfast-replay-" + edgeId,
            FETCH_WAIT_MS,
            ChannelSettings.REREAD_BYTES,
            overrides);
    this.topics = topics;
    this.patience = patience;
  }

  @Override
  public LogStart begin(TopicPartition partition) {
    return topics.begin(partition);
  }

  @Override
  public long end(TopicPartition partition) {
    Set<TopicPartition> one = Set.of(partition);
    return topics.asked(() -> consumer.endOffsets(one, patience).getOrDefault(partition, 0L));
  }

  @Override
  public void seek(TopicPartition partition, long offset, int epoch) {
    if (!assigned.contains(partition)) {
      Set<TopicPartition> more = new HashSet<>(assigned);
      more.add(partition);
      consumer.assign(more);
      assigned = Set.copyOf(more);
    }
    Optional<Integer> known = epoch < 0 ? Optional.empty() : Optional.of(epoch);
    consumer.seek(partition, new OffsetAndMetadata(offset, known, ""));
  }

  /** What is read, or rests. */
  Set<TopicPartition> assigned() {
    return assigned;
  }

  /**
   * Reads these and no others.
   *
   * @param resting those of which what was fetched is kept, to be read on later
   * @return whether anything is to be read
   */
  boolean assign(Set<TopicPartition> wanted, Set<TopicPartition> resting) {
    Set<TopicPartition> all = new HashSet<>(wanted);
    all.addAll(resting);
    if (!all.equals(assigned)) {
      consumer.assign(all);
      assigned = Set.copyOf(all);
    }
    consumer.pause(resting);
    consumer.resume(wanted);
    return !wanted.isEmpty();
  }

  /**
   * Waits for records.
   *
   * @throws KafkaException as {@link KafkaConsumer#poll}
   */
  ConsumerRecords<byte[], byte[]> poll(Duration wait) {
    return consumer.poll(wait);
  }

  /** Ends a {@link #poll}. Any thread. */
  void wakeup() {
    consumer.wakeup();
  }

  void close() {
    consumer.close();
  }
}
