package dev.holdfast.delivery.replay;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.source.Copy;
import dev.holdfast.delivery.source.forward.CopyWriter;
import dev.holdfast.delivery.source.forward.SourceClients;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * One replay: first looks at the range, then sends it. For one thread.
 *
 * <p>Each message is sent with the time at which its identity was known first, as moved records
 * are; so the rules, which alone know the window at the moment it is applied, keep out what came
 * too late.
 */
public final class Replay implements AutoCloseable {
  private final SourceClients clients;
  private final Selection selection;
  private final long windowMs;
  private final InstantSource clock;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private Map<TopicPartition, Span> spans = Map.of();

  /** One line of what would be sent; never its payload. */
  public record Line(
      int partition, long offset, long timeMs, String user, String msgId, int bytes) {}

  /**
   * @param windowMs the dedup window of the rules in force
   */
  public Replay(SourceClients clients, Selection selection, long windowMs, InstantSource clock) {
    this.clients = clients;
    this.selection = selection;
    this.windowMs = windowMs;
    this.clock = clock;
    this.consumer = clients.reader();
  }

  /**
   * Settles the range.
   *
   * @param to absent: as far as there is something now
   * @param partition the only one; absent: all that may hold something
   * @throws IllegalArgumentException when an offset is given for several partitions
   * @throws StartRefused when the range is not there
   */
  public void settle(Point from, @Nullable Point to, @Nullable Integer partition)
      throws InterruptedException {
    List<TopicPartition> partitions =
        partition == null
            ? selection.partitions()
            : List.of(new TopicPartition(selection.topic(), partition));
    boolean offsets = from instanceof Point.Offset || to instanceof Point.Offset;
    if (offsets && partitions.size() > 1) {
      throw new IllegalArgumentException(
          "an offset belongs to one partition, and topic "
              + selection.topic()
              + " has "
              + partitions.size()
              + ": give --partition, or a time");
    }
    checkThere(partitions);
    spans = new Ranges(consumer, selection, keptSince()).of(partitions, from, to);
  }

  private void checkThere(List<TopicPartition> partitions) {
    int count = consumer.partitionsFor(selection.topic()).size();
    for (TopicPartition partition : partitions) {
      if (partition.partition() >= count) {
        throw new StartRefused(
            "topic " + selection.topic() + " has partitions 0 to " + (count - 1) + " only");
      }
    }
  }

  /** Since when age alone has deleted nothing; only the topic's settings tell. */
  private long keptSince() throws InterruptedException {
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, selection.topic());
    try (Admin admin = clients.admin()) {
      Config config = admin.describeConfigs(List.of(topic)).all().get().get(topic);
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

  /**
   * Looks at the range and calls {@code each} for what would be sent, with whether it is too old.
   */
  public Totals look(BiConsumer<Line, Boolean> each) {
    Counts counts = new Counts();
    read(
        (record, choice) -> {
          if (choice instanceof Choice.Send send) {
            boolean old = tooOld(send);
            counts.send(send, old);
            each.accept(
                new Line(
                    record.partition(),
                    record.offset(),
                    record.timestamp(),
                    send.user(),
                    send.msgId(),
                    send.value().size()),
                old);
          } else if (choice instanceof Choice.Not not) {
            counts.not.merge(not.why(), 1L, Long::sum);
          }
        });
    return counts.totals();
  }

  private boolean tooOld(Choice.Send send) {
    return send.firstMs() < Age.oldest(clock.millis(), windowMs, send.producersTime());
  }

  /**
   * Sends the range; returns when all in-sync replicas have all of it.
   *
   * @param progress told how many were sent, now and then
   * @throws KafkaException when something was not written; what was, is a repeat the next time
   */
  public Totals send(LongConsumer progress) throws InterruptedException {
    Counts counts = new Counts();
    try (CopyWriter writer = new CopyWriter(clients)) {
      read(
          (record, choice) -> {
            if (choice instanceof Choice.Send send) {
              writer.check();
              awaitRoom(writer);
              writer.again(
                  new Copy.Forward(send.user(), send.event(), send.value()),
                  send.firstMs(),
                  () -> {});
              counts.send(send, false);
              if (counts.send % 1_000 == 0) {
                progress.accept(counts.send);
              }
            } else if (choice instanceof Choice.Not not) {
              counts.not.merge(not.why(), 1L, Long::sum);
            }
          });
      writer.awaitAnswers(Duration.ofMinutes(3));
      writer.check();
    }
    return counts.totals();
  }

  private static void awaitRoom(CopyWriter writer) {
    try {
      while (!writer.hasRoom()) {
        writer.awaitRoom(Duration.ofSeconds(1));
        writer.check();
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private void read(BiConsumer<ConsumerRecord<byte[], byte[]>, Choice> each) {
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
          Choice choice = selection.choose(record);
          if (record.offset() >= span.start()) {
            each.accept(record, choice);
          }
        }
      }
      long now = left.keySet().stream().mapToLong(consumer::position).sum();
      if (now != sum) {
        heard = System.nanoTime();
        sum = now;
      }
      left.entrySet()
          .removeIf(
              e -> {
                boolean done = consumer.position(e.getKey()) >= e.getValue().end();
                if (done) {
                  consumer.pause(List.of(e.getKey()));
                }
                return done;
              });
      if (System.nanoTime() - heard > Ranges.PATIENCE.toNanos()) {
        throw new StartRefused(left.keySet() + " gave nothing for 30 s; is a broker away?");
      }
    }
  }

  @Override
  public void close() {
    consumer.close();
  }

  private static final class Counts {
    private final Map<String, Long> not = new TreeMap<>();
    private long send;
    private long bytes;
    private long tooOld;

    void send(Choice.Send choice, boolean old) {
      send++;
      bytes += choice.value().size();
      tooOld += old ? 1 : 0;
    }

    Totals totals() {
      return new Totals(send, bytes, tooOld, Map.copyOf(not));
    }
  }
}
