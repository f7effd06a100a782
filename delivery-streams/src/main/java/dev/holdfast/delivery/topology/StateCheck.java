package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.Partition;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.processor.TaskId;
import org.jspecify.annotations.Nullable;

/**
 * Whether a task's rows continue the log, judged at the first record it reads (D1). One for all
 * tasks of an instance; thread-safe.
 *
 * <p>Rows that are behind the application's position would number messages anew. The changelog may
 * well have them: Kafka Streams 4.4 can note that a store is complete when its restore was cut
 * short. So the instance stops, throws its copy away, and the next start restores it. Streams' own
 * way, a {@code TaskCorruptedException}, is no way: in 4.4 the rebalance that it causes can forget
 * to go back to the committed position, and the records read since are not applied.
 */
final class StateCheck {
  private static final Duration POLL = Duration.ofMillis(500);

  /** Times {@link #POLL}: a broker that does not answer for 30 s is Streams' business. */
  private static final int POLLS = 60;

  private final String topicId;
  private final Map<String, Object> consumer;
  private final Set<TaskId> behind = ConcurrentHashMap.newKeySet();

  /**
   * @param topicId of the log as it is now
   * @param kafka client properties
   */
  StateCheck(String topicId, String bootstrap, Map<String, String> kafka) {
    this.topicId = topicId;
    this.consumer = new HashMap<>(kafka);
    consumer.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    consumer.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    consumer.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    consumer.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
  }

  /**
   * Compares before the record at {@code offset} is applied.
   *
   * @param applied as the rows say, -1 for none; exact to {@link Partition#EVERY}
   * @throws StateContradictsLog when they do not fit; if the rows are {@link #behind}, they are to
   *     be thrown away once the store is closed
   */
  void compare(TaskId task, StoreRows rows, long applied, long offset) {
    int partition = task.partition();
    if ((applied < 0 && offset > 0) || isBehind(partition, applied, offset)) {
      behind.add(task);
      throw new StateContradictsLog(
          "partition "
              + partition
              + " of "
              + Topics.EVENTS.topic()
              + " continues at offset "
              + offset
              + (applied < 0
                  ? " but there is no state for what came before"
                  : " but the state ends at " + applied)
              + ". This instance throws its copy of the state away: start it again, and it restores"
              + " it from the changelog. If it then says the same, the changelog is lost, or its end"
              + " is: restore that, or reset the application's offsets to 0 if the log still begins"
              + " there");
    }
    compareTopic(partition, rows);
  }

  /** Tasks whose rows were found to be behind the application's position. */
  Set<TaskId> behind() {
    return Set.copyOf(behind);
  }

  /** Whether the log has a record before {@code offset} that left no trace in the rows. */
  private boolean isBehind(int partition, long applied, long offset) {
    long noted = (offset - 1) / Partition.EVERY * Partition.EVERY;
    if (offset == 0 || applied >= noted) {
      return false;
    }
    TopicPartition tp = new TopicPartition(Topics.EVENTS.topic(), partition);
    try {
      return hasRecord(tp, noted, offset);
    } catch (TimeoutException e) {
      // As it is, Streams would call the task corrupted.
      throw new IllegalStateException("cannot compare state and log", e);
    }
  }

  /** Whether a record lies in between; markers of somebody's transactions take offsets as well. */
  private boolean hasRecord(TopicPartition tp, long from, long to) {
    try (KafkaConsumer<byte[], byte[]> log =
        new KafkaConsumer<>(consumer, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      log.assign(List.of(tp));
      long start = log.beginningOffsets(List.of(tp)).getOrDefault(tp, 0L);
      log.seek(tp, Math.max(start, from));
      for (int i = 0; i < POLLS && log.position(tp) < to; i++) {
        Iterator<ConsumerRecord<byte[], byte[]>> records = log.poll(POLL).iterator();
        if (records.hasNext()) {
          return records.next().offset() < to;
        }
      }
      if (log.position(tp) < to) {
        throw new TimeoutException(tp + " was not read from " + from + " to " + to);
      }
    }
    return false;
  }

  private void compareTopic(int partition, StoreRows rows) {
    byte[] id = topicId.getBytes(StandardCharsets.UTF_8);
    byte @Nullable [] known = rows.get(Keys.logId());
    if (known == null) {
      rows.put(Keys.logId(), id);
    } else if (!Arrays.equals(known, id)) {
      throw new StateContradictsLog(
          "the state of partition "
              + partition
              + " was made from another "
              + Topics.EVENTS.topic()
              + " (topic id "
              + new String(known, StandardCharsets.UTF_8)
              + ") than the one that is there (topic id "
              + topicId
              + "): it was deleted and made anew. Give the application an empty --data and"
              + " delete its changelog topics, or restore the old log");
    }
  }
}
