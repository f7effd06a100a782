package dev.holdfast.delivery.replay;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.source.Copy;
import dev.holdfast.delivery.source.forward.CopyWriter;
import dev.holdfast.delivery.source.forward.SourceClients;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
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
  private final RangeReader reader;

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
    this.reader = new RangeReader(clients, clock, selection.topic());
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
    reader.settle(partitions, from, to, selection::limit, selection.leadMs());
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
              writer.waitForRoom();
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

  private void read(BiConsumer<ConsumerRecord<byte[], byte[]>, Choice> each) {
    reader.read(
        (record, within) -> {
          Choice choice = selection.choose(record);
          if (within) {
            each.accept(record, choice);
          }
        });
  }

  @Override
  public void close() {
    reader.close();
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
