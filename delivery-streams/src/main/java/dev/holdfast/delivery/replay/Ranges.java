package dev.holdfast.delivery.replay;

import dev.holdfast.delivery.StartRefused;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Turns points into offsets, and refuses what is no longer there. For the consumer's thread. */
final class Ranges {
  /** How long a partition may give nothing. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final ToLongFunction<TopicPartition> limit;
  private final long leadMs;

  /** Records of this time or later were not deleted for their age. */
  private final long keptSinceMs;

  /**
   * @param limit offset before which a partition may be read
   * @param leadMs how long before the range reading must begin, in ms
   * @param keptSinceMs records of this time or later, ms since 1970, are surely kept; {@link
   *     Long#MAX_VALUE} when nobody knows
   */
  Ranges(
      KafkaConsumer<byte[], byte[]> consumer,
      ToLongFunction<TopicPartition> limit,
      long leadMs,
      long keptSinceMs) {
    this.consumer = consumer;
    this.limit = limit;
    this.leadMs = leadMs;
    this.keptSinceMs = keptSinceMs;
  }

  /**
   * The offsets of the range.
   *
   * @throws StartRefused when its start is no longer kept, or not there yet
   */
  Map<TopicPartition, Span> of(List<TopicPartition> partitions, Point from, @Nullable Point to) {
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    Map<TopicPartition, Span> spans = new HashMap<>();
    for (TopicPartition partition : partitions) {
      long begin = begins.getOrDefault(partition, 0L);
      long end = ends.getOrDefault(partition, begin);
      long start = start(partition, from, begin, end);
      long last = to == null ? end : Math.min(end, offset(partition, to, end));
      last = Math.min(last, limit.applyAsLong(partition));
      if (start < last) {
        spans.put(partition, new Span(lead(partition, start, begin), start, last));
      }
    }
    return spans;
  }

  private long start(TopicPartition partition, Point from, long begin, long end) {
    if (from instanceof Point.Offset offset) {
      if (offset.offset() < begin) {
        throw gone(partition, begin, end);
      }
      if (offset.offset() > end) {
        throw new StartRefused(partition + " ends at offset " + end + "; --from is behind that");
      }
    } else if (from instanceof Point.Time time && begin > 0 && time.ms() < keptSinceMs) {
      OptionalLong oldest = timeAt(partition, begin, end);
      if (oldest.isPresent() && time.ms() < oldest.getAsLong()) {
        throw gone(partition, begin, end);
      }
    }
    return offset(partition, from, end);
  }

  private StartRefused gone(TopicPartition partition, long begin, long end) {
    OptionalLong time = timeAt(partition, begin, end);
    return new StartRefused(
        "what is asked for is no longer kept: "
            + partition
            + " begins at offset "
            + begin
            + (time.isPresent() ? ", " + Instant.ofEpochMilli(time.getAsLong()) : "")
            + "; that is the earliest --from");
  }

  private long offset(TopicPartition partition, Point point, long end) {
    if (point instanceof Point.Offset offset) {
      return offset.offset();
    }
    return at(partition, ((Point.Time) point).ms(), end);
  }

  private long at(TopicPartition partition, long ms, long otherwise) {
    OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(partition, ms)).get(partition);
    return found == null ? otherwise : found.offset();
  }

  private long lead(TopicPartition partition, long start, long begin) {
    if (leadMs == 0 || start == begin) {
      return start;
    }
    OptionalLong time = timeAt(partition, start, Long.MAX_VALUE);
    long from = time.isPresent() ? Math.max(0, time.getAsLong() - leadMs) : 0;
    return Math.min(start, at(partition, from, start));
  }

  /** The time of the first record at or behind an offset; empty when there is none. */
  private OptionalLong timeAt(TopicPartition partition, long offset, long end) {
    if (offset >= end) {
      return OptionalLong.empty();
    }
    consumer.assign(List.of(partition));
    consumer.seek(partition, offset);
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (consumer.position(partition) < end && System.nanoTime() < until) {
      ConsumerRecords<byte[], byte[]> polled = consumer.poll(Duration.ofMillis(200));
      for (ConsumerRecord<byte[], byte[]> record : polled) {
        return OptionalLong.of(record.timestamp());
      }
    }
    return OptionalLong.empty();
  }
}
