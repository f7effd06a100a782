package dev.holdfast.delivery.replay;

import dev.holdfast.channel.ChannelHeaders;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Publishers;
import dev.holdfast.delivery.source.forward.CopyWriter;
import dev.holdfast.delivery.source.forward.SourceClients;
import dev.holdfast.delivery.source.forward.TopicLook;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Publishes a range of a channel's events once more, to the partition where the channel lies. For
 * one thread.
 *
 * <p>An event keeps its message id, so edges drop it where the first one lies within {@link
 * ChannelHeaders#REPEAT_RECORDS} offsets before. What lies further back goes to all subscribers
 * once more, and clients remember few ids: {@link Totals#beyond} counts these, so that nobody sends
 * them unawares. What has no id nobody could drop, so it is left out. A replay <i>as new</i> gives
 * each record an id of its own, made of its place and the run, so that everybody gets it once.
 *
 * <p>Each copy says of which run it is and where its original lies ({@link CopyMark}). So a run
 * that stopped on the way can be repeated however far the log has gone on: it sends what it has not
 * sent, and its range ends where it did. Copies that are of the same range are left out, as with
 * them each replay would send more than the one before.
 *
 * <p>Where a topic got more partitions, what a channel had before that may lie in another one, and
 * Kafka does not tell how many there were. So one partition is read: that of the present number, or
 * of the number that the caller names. No edge knows a repeat from another partition.
 */
public final class ChannelReplay implements AutoCloseable {
  private final SourceClients clients;
  private final ChannelName channel;
  private final byte[] key;
  private final TopicPartition from;
  private final TopicPartition to;
  private final String topicId;
  private final int window;
  private final Run run;
  private final ChannelCopies copies;
  private final InstantSource clock;
  private final RangeReader reader;
  private SentBefore before = SentBefore.nothing();
  private @Nullable Span range;

  /**
   * What copies are called.
   *
   * @param name 1-64 characters, no space
   * @param asNew events get another identity
   * @param again copies of a run of this name may be there already
   */
  public record Run(String name, boolean asNew, boolean again) {}

  /** The offsets of a range, the second one not included. */
  public record Offsets(long from, long to) {}

  /**
   * One line of what would be sent; never its payload.
   *
   * @param beyond see {@link Totals#beyond}
   */
  public record Line(
      int partition, long offset, long timeMs, String msgId, int bytes, boolean beyond) {}

  /**
   * What a range holds.
   *
   * @param send events that are, or would be, sent
   * @param bytes of their payloads
   * @param within those among them that edges drop, so that nobody is sent them
   * @param beyond those that edges do not drop and are not new either: who had them may get them
   *     twice
   * @param unnamed records without an id, which are left out
   * @param copies records that a replay made of others in the range, which are left out
   * @param before records that this run has sent before
   */
  public record Totals(
      long send, long bytes, long within, long beyond, long unnamed, long copies, long before) {}

  /**
   * @param partitions how many the topic had when the range was written
   */
  public ChannelReplay(
      SourceClients clients,
      Namespace namespace,
      ChannelName channel,
      TopicLook topic,
      int partitions,
      Run run,
      InstantSource clock) {
    this.clients = clients;
    this.channel = channel;
    this.key = channel.key().getBytes(StandardCharsets.UTF_8);
    this.topicId = topic.id();
    this.from = new TopicPartition(namespace.topic(), partition(namespace, key, partitions));
    this.to = new TopicPartition(namespace.topic(), partition(namespace, key, topic.partitions()));
    boolean known = namespace.publish() != Publishers.NONE && from.equals(to);
    this.window = known && !run.asNew() ? ChannelHeaders.REPEAT_RECORDS : 0;
    this.run = run;
    this.copies = new ChannelCopies(run, topicId, from, to);
    this.clock = clock;
    this.reader = new RangeReader(clients, clock, namespace.topic());
  }

  private static int partition(Namespace namespace, byte[] key, int partitions) {
    if (namespace.keys() == Namespace.KeyHash.MURMUR2) {
      return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }
    CRC32 crc = new CRC32();
    crc.update(key);
    return (int) (crc.getValue() % partitions);
  }

  /** The partition that is read. */
  public int partition() {
    return from.partition();
  }

  /**
   * See {@link Replay#settle}; there is one partition only, so an offset says enough. The range of
   * a run that has sent something before ends where it did then, unless {@code end} says otherwise.
   */
  public void settle(Point begin, @Nullable Point end) throws InterruptedException {
    reader.settle(List.of(from), begin, end, one -> Long.MAX_VALUE, 0);
    range = reader.span(from);
    if (range == null || !run.again()) {
      return;
    }
    try (RangeReader made = new RangeReader(clients, clock, to.topic())) {
      made.settleRest(to, from.equals(to) ? range.start() : 0);
      before = SentBefore.read(made, run.name(), topicId, from, range);
    }
    if (end == null && before.end() >= 0) {
      reader.endAt(from, before.end());
      range = reader.span(from);
    }
  }

  /** Where the range lies; null when it holds nothing. */
  public @Nullable Offsets range() {
    Span span = range;
    return span == null ? null : new Offsets(span.start(), span.end());
  }

  /**
   * Looks at the range and calls {@code each} for what would be sent. A tenth of what edges look
   * back is left to those who write meanwhile.
   */
  public Totals look(Consumer<Line> each) {
    Counts counts = new Counts();
    long end = reader.end(to) + window / 10;
    read(
        counts,
        (record, msgId) -> {
          // The copies before it come to lie between.
          long within = dropped(record.offset(), end + counts.send - 1);
          counts.within.addAndGet(within);
          each.accept(
              new Line(
                  record.partition(),
                  record.offset(),
                  record.timestamp(),
                  msgId,
                  bytes(record),
                  within == 0 && !run.asNew()));
        });
    return totals(counts);
  }

  /**
   * Sends the range; returns when all in-sync replicas have all of it.
   *
   * @param progress told how many were sent, now and then
   * @throws KafkaException when something was not written
   */
  public Totals send(LongConsumer progress) throws InterruptedException {
    Counts counts = new Counts();
    try (CopyWriter writer = new CopyWriter(clients)) {
      read(
          counts,
          (record, msgId) -> {
            writer.waitForRoom();
            long offset = record.offset();
            writer.append(
                copies.copy(record, msgId, Objects.requireNonNull(range)),
                at -> counts.within.addAndGet(dropped(offset, at)));
            if (counts.send % 1_000 == 0) {
              progress.accept(counts.send);
            }
          });
      writer.awaitAnswers(Duration.ofMinutes(3));
      writer.check();
    }
    return totals(counts);
  }

  private long dropped(long first, long again) {
    return again - first <= window ? 1 : 0;
  }

  private interface Each {
    void send(ConsumerRecord<byte[], byte[]> record, String msgId);
  }

  private void read(Counts counts, Each each) {
    reader.read(
        (record, within) -> {
          if (within && Arrays.equals(record.key(), key)) {
            choose(counts, record, each);
          }
        });
  }

  private void choose(Counts counts, ConsumerRecord<byte[], byte[]> record, Each each) {
    if (copies.copied(record, Objects.requireNonNull(range))) {
      counts.copies++;
    } else if (before.has(record.offset())) {
      counts.before++;
    } else {
      String msgId = copies.msgId(record);
      if (msgId == null) {
        counts.unnamed++;
      } else {
        counts.send++;
        counts.bytes += bytes(record);
        each.send(record, msgId);
      }
    }
  }

  private static int bytes(ConsumerRecord<byte[], byte[]> record) {
    return record.value() == null ? 0 : record.value().length;
  }

  /** As it is told to the operator. */
  public String what() {
    return "channel " + channel.text();
  }

  @Override
  public void close() {
    reader.close();
  }

  private Totals totals(Counts counts) {
    long within = counts.within.get();
    long beyond = run.asNew() ? 0 : counts.send - within;
    return new Totals(
        counts.send, counts.bytes, within, beyond, counts.unnamed, counts.copies, counts.before);
  }

  private static final class Counts {
    /** Counted on the producer's thread. */
    private final AtomicLong within = new AtomicLong();

    private long send;
    private long bytes;
    private long unnamed;
    private long copies;
    private long before;
  }
}
