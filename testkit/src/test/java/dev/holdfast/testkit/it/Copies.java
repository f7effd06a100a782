package dev.holdfast.testkit.it;

import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.topic.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Follows the log for records that streams moved to their right partition. */
final class Copies implements AutoCloseable {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<TopicPartition> partitions;
  private final Map<String, Integer> byOrigin = new HashMap<>();
  private int seen;
  private int mark;

  Copies(String bootstrap) {
    this.consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "fetch.max.wait.ms", "50"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    this.partitions =
        consumer.partitionsFor(Topics.EVENTS.topic()).stream()
            .map(p -> new TopicPartition(p.topic(), p.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** From here on {@link #anySinceMark} looks. */
  void mark() {
    catchUp();
    mark = seen;
  }

  /** Whether a record was moved since the mark; looks for a moment only. */
  boolean anySinceMark() {
    poll();
    return seen > mark;
  }

  /** How many records were moved more than once. */
  long madeTwice() {
    catchUp();
    return byOrigin.values().stream().filter(n -> n > 1).count();
  }

  private void catchUp() {
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
      poll();
    }
  }

  private void poll() {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
      String origin = KafkaLog.header(record, DeliveryHeaders.FORWARDED);
      if (!origin.isEmpty()) {
        byOrigin.merge(origin, 1, Integer::sum);
        seen++;
      }
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
