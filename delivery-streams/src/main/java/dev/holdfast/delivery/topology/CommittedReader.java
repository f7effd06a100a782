package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads parts of partitions, committed records only. For one thread. */
final class CommittedReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(500);

  /** Polls in a row that bring nothing on: 30 s. */
  private static final int POLLS = 60;

  private final KafkaConsumer<byte[], byte[]> consumer;

  /**
   * @param kafka client properties
   */
  CommittedReader(String bootstrap, Map<String, String> kafka) {
    Map<String, Object> props = new HashMap<>(kafka);
    props.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    props.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    props.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    props.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    // What is asked for is there; behind a partition's end there is nothing to wait for.
    props.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "50");
    this.consumer =
        new KafkaConsumer<>(props, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Offset of the oldest record that is there. */
  long start(TopicPartition tp) {
    return consumer.beginningOffsets(List.of(tp)).getOrDefault(tp, 0L);
  }

  /**
   * Reads a part of a partition.
   *
   * @param from the first offset; below the oldest there is: that one
   * @param end reads the records below this offset
   * @param each takes a record and says whether to go on
   * @throws StartRefused when Kafka does not give them
   */
  void read(
      TopicPartition tp, long from, long end, Predicate<ConsumerRecord<byte[], byte[]>> each) {
    consumer.assign(List.of(tp));
    consumer.seek(tp, Math.max(from, start(tp)));
    long position = consumer.position(tp);
    int idle = 0;
    while (position < end) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        if (record.offset() >= end || !each.test(record)) {
          return;
        }
      }
      // Markers of transactions take offsets too, and records that were compacted away leave holes.
      long now = consumer.position(tp);
      idle = now > position ? 0 : idle + 1;
      position = now;
      if (idle > POLLS) {
        throw new StartRefused(
            tp + " could not be read on from offset " + position + "; run the same command again");
      }
    }
  }

  /**
   * Reads a part of a partition of which no record may be missing.
   *
   * @param from the first offset
   * @param end reads the records below this offset
   * @throws StartRefused when records from {@code from} on are gone, or Kafka does not give them
   */
  void readWhole(
      TopicPartition tp, long from, long end, Predicate<ConsumerRecord<byte[], byte[]>> each) {
    long start = start(tp);
    if (start > from) {
      throw new StartRefused(
          "the records of "
              + tp
              + " from offset "
              + from
              + " on, which were needed, were deleted meanwhile: it begins at "
              + start
              + " now; run the same command again");
    }
    read(tp, from, end, each);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
