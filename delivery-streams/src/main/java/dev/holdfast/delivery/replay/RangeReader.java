package dev.holdfast.delivery.replay;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.source.forward.SourceClients;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/** Settles a range of one topic's records, and reads it as often as wanted. For one thread. */
final class RangeReader implements AutoCloseable {
  private final SourceClients clients;
  private final InstantSource clock;
  private final String topic;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private Map<TopicPartition, Span> spans = Map.of();

  RangeReader(SourceClients clients, InstantSource clock, String topic) {
    this.clients = clients;
    this.clock = clock;
    this.topic = topic;
    this.consumer = clients.reader();
  }

  /**
   * Settles the range.
   *
   * @param to absent: as far as there is something now
   * @param limit offset before which a partition may be read
   * @param leadMs how long before the range reading must begin, in ms
   * @throws IllegalArgumentException when an offset is given for several partitions
   * @throws StartRefused when the range is not there
   */
  void settle(
      List<TopicPartition> partitions,
      Point from,
      @Nullable Point to,
      ToLongFunction<TopicPartition> limit,
      long leadMs)
      throws InterruptedException {
    boolean offsets = from instanceof Point.Offset || to instanceof Point.Offset;
    if (offsets && partitions.size() > 1) {
      throw new IllegalArgumentException(
          "an offset belongs to one partition, and topic "
              + topic
              + " has "
              + partitions.size()
              + ": give --partition, or a time");
    }
    int count = consumer.partitionsFor(topic).size();
    for (TopicPartition partition : partitions) {
      if (partition.partition() >= count) {
        throw new StartRefused("topic " + topic + " has partitions 0 to " + (count - 1) + " only");
      }
    }
    spans = new Ranges(consumer, limit, leadMs, keptSince()).of(partitions, from, to);
  }

  /** What is read of a partition; null when nothing is. */
  @Nullable Span span(TopicPartition partition) {
    return spans.get(partition);
  }

  /** Settles all that one partition has, from an offset on or from the oldest that is kept. */
  void settleRest(TopicPartition partition, long from) {
    long begin = consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
    long start = Math.max(from, begin);
    long end = end(partition);
    spans = start < end ? Map.of(partition, new Span(start, start, end)) : Map.of();
  }

  /** A partition's range ends at an offset, unless it ends before. */
  void endAt(TopicPartition partition, long end) {
    Span span = spans.get(partition);
    if (span != null && end < span.end()) {
      Map<TopicPartition, Span> shorter = new HashMap<>(spans);
      shorter.remove(partition);
      if (span.start() < end) {
        shorter.put(partition, new Span(span.lead(), span.start(), end));
      }
      spans = Map.copyOf(shorter);
    }
  }

  /** Since when age alone has deleted nothing; only the topic's settings tell. */
  private long keptSince() throws InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try (Admin admin = clients.admin()) {
      Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
      if (config == null || number(config, "retention.bytes") >= 0) {
        return Long.MAX_VALUE;
      }
      long retention = number(config, "retention.ms");
      return retention < 0 ? 0 : clock.millis() - retention;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TopicAuthorizationException) {
        return Long.MAX_VALUE; // then the oldest record that is there decides
      }
      throw new StartRefused("the topic's settings cannot be read: " + StartRefused.said(e), e);
    }
  }

  private static long number(Config config, String name) {
    ConfigEntry entry = config.get(name);
    return entry == null || entry.value() == null ? -1 : Long.parseLong(entry.value());
  }

  /** The offset behind a partition's last committed record. */
  long end(TopicPartition partition) {
    return consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
  }

  /** Reads the lead and the range; {@code each} is told of a record whether it is of the range. */
  void read(BiConsumer<ConsumerRecord<byte[], byte[]>, Boolean> each) {
    Map<TopicPartition, Span> left = new HashMap<>(spans);
    consumer.assign(left.keySet());
    left.forEach((partition, span) -> consumer.seek(partition, span.lead()));
    consumer.resume(left.keySet());
    long heard = System.nanoTime();
    long sum = -1;
    while (!left.isEmpty()) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
        Span span = left.get(new TopicPartition(record.topic(), record.partition()));
        if (span != null && record.offset() < span.end()) {
          each.accept(record, record.offset() >= span.start());
        }
      }
      long now = left.keySet().stream().mapToLong(consumer::position).sum();
      if (now != sum) {
        heard = System.nanoTime();
        sum = now;
      }
      left.entrySet().removeIf(e -> done(e.getKey(), e.getValue()));
      if (System.nanoTime() - heard > Ranges.PATIENCE.toNanos()) {
        throw new StartRefused(left.keySet() + " gave nothing for 30 s; is a broker away?");
      }
    }
  }

  private boolean done(TopicPartition partition, Span span) {
    boolean done = consumer.position(partition) >= span.end();
    if (done) {
      consumer.pause(List.of(partition));
    }
    return done;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
