package dev.holdfast.delivery.source.forward;

import dev.holdfast.delivery.source.Copy;
import dev.holdfast.delivery.source.Progress;
import dev.holdfast.delivery.source.SourceSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One membership in a source's group, from its beginning to its end or first failure. For one
 * thread; only {@link #wakeup} and {@link #metrics} are for others.
 *
 * <p>A topic that is deleted and made anew keeps its name, and a consumer reads on in it without a
 * word if the old offset exists. Copies would then bear identities of records of the old topic. So
 * after each fetch a broker is asked for the topic's id, one request for up to 500 records: ids
 * never come back, so if it is the same now, the records are of it.
 */
final class SourceRun implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SourceRun.class);

  /** While copies wait for room: how long until it is looked again. */
  private static final Duration SOON = Duration.ofMillis(5);

  /** How long a partition that is taken away waits for the answers to what is under way. */
  private static final Duration LAST_ANSWERS = Duration.ofSeconds(2);

  private final SourceSpec spec;
  private final SourceCounters counters;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Admin admin;
  private final CopyWriter writer;
  private final Positions positions;
  private final DeadLetterLog letters;
  private final Map<TopicPartition, Progress> progress = new HashMap<>();
  private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
  private final Commits commits;
  private boolean paused;

  /**
   * @param begun completed once every partition of the source has a position
   * @param lastTopicId see {@link Positions}
   */
  static SourceRun open(
      SourceSpec spec,
      SourceClients clients,
      SourceCounters counters,
      CompletableFuture<Void> begun,
      AtomicReference<@Nullable String> lastTopicId) {
    List<AutoCloseable> opened = new ArrayList<>();
    try {
      Admin admin = clients.admin();
      opened.add(admin);
      KafkaConsumer<byte[], byte[]> consumer = clients.member(spec);
      opened.add(consumer);
      return new SourceRun(
          spec, counters, consumer, admin, new CopyWriter(clients), begun, lastTopicId);
    } catch (KafkaException e) {
      opened.forEach(any -> Utils.closeQuietly(any, "a client of a source"));
      throw e;
    }
  }

  private SourceRun(
      SourceSpec spec,
      SourceCounters counters,
      KafkaConsumer<byte[], byte[]> consumer,
      Admin admin,
      CopyWriter writer,
      CompletableFuture<Void> begun,
      AtomicReference<@Nullable String> lastTopicId) {
    this.spec = spec;
    this.counters = counters;
    this.letters = new DeadLetterLog(spec.topic());
    this.admin = admin;
    this.consumer = consumer;
    this.writer = writer;
    this.positions = new Positions(spec, consumer, admin, begun, lastTopicId);
    this.commits = new Commits(spec, consumer, positions);
    consumer.subscribe(List.of(spec.topic()), new Rebalance());
  }

  /**
   * Reads, copies and commits once; lasts some 250 ms at most when there is nothing to do.
   *
   * @throws KafkaException when it cannot go on; this object is then of no more use
   */
  void step() {
    ConsumerRecords<byte[], byte[]> polled = poll();
    writer.check();
    positions
        .settle()
        .forEach(
            (partition, at) -> {
              progress.put(partition, new Progress(at.offset(), epoch(at)));
              if (!paused) {
                consumer.resume(List.of(partition));
              }
            });
    take(polled);
    copyWaiting();
    if (waiting.isEmpty() == paused) {
      paused = !paused;
      if (paused) {
        consumer.pause(progress.keySet());
      } else {
        consumer.resume(progress.keySet());
      }
    }
    commits.commit(progress, waiting.isEmpty());
  }

  private ConsumerRecords<byte[], byte[]> poll() {
    try {
      return consumer.poll(waiting.isEmpty() ? Commits.INTERVAL : SOON);
    } catch (LogTruncationException e) {
      // Records that were read are gone, as after an unclean election; others may be in their
      // place.
      forget(e.partitions());
      positions.unsettle(e.partitions());
      positions.cut(e);
      return ConsumerRecords.empty();
    } catch (InvalidOffsetException e) {
      // Retention was faster, or the topic is another: begin as at the start.
      LOG.atWarn()
          .addKeyValue("source", spec.topic())
          .addKeyValue("partitions", e.partitions())
          .log("a source's position is no longer in the topic");
      forget(e.partitions());
      positions.unsettle(e.partitions());
      return ConsumerRecords.empty();
    }
  }

  private void take(ConsumerRecords<byte[], byte[]> polled) {
    polled
        .nextOffsets()
        .forEach(
            (partition, at) -> {
              Progress of = progress.get(partition);
              if (of != null) {
                of.fetched(at.offset(), epoch(at));
              }
            });
    if (!polled.isEmpty()) {
      positions.checkTopic();
      polled.forEach(waiting::add);
    }
  }

  private static int epoch(OffsetAndMetadata at) {
    return at.leaderEpoch().orElse(Progress.NO_EPOCH);
  }

  private static int epoch(ConsumerRecord<byte[], byte[]> record) {
    return record.leaderEpoch().orElse(Progress.NO_EPOCH);
  }

  private void copyWaiting() {
    while (!waiting.isEmpty() && writer.hasRoom()) {
      ConsumerRecord<byte[], byte[]> record = waiting.remove();
      Progress of = progress.get(new TopicPartition(record.topic(), record.partition()));
      if (of != null) {
        copy(record, of.begin(record.offset(), epoch(record)));
      }
    }
  }

  private void copy(ConsumerRecord<byte[], byte[]> record, Progress.Entry entry) {
    Copy copy =
        Copy.of(
            spec,
            positions.topicId(),
            record.partition(),
            record.offset(),
            epoch(record),
            record.key(),
            record.value());
    if (copy instanceof Copy.Forward forward) {
      writer.forward(
          forward,
          () -> {
            entry.done();
            counters.forwarded.increment();
          });
    } else if (copy instanceof Copy.Dead dead) {
      letters.tell(record, dead);
      counters.deadLetters.count(dead.reason());
      writer.deadLetter(record, dead, entry::done);
    } else {
      counters.skipped.increment();
      entry.done();
    }
  }

  private void forget(Collection<TopicPartition> partitions) {
    partitions.forEach(progress::remove);
    commits.forget(partitions);
    waiting.removeIf(
        record -> partitions.contains(new TopicPartition(record.topic(), record.partition())));
  }

  /** What comes and goes; called within poll and close, on the same thread. */
  private final class Rebalance implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      positions.unsettle(partitions);
    }

    /** What is not answered in time is copied again by whoever comes next. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      waiting.removeIf(
          record -> partitions.contains(new TopicPartition(record.topic(), record.partition())));
      Map<TopicPartition, Progress> going = new HashMap<>(progress);
      going.keySet().retainAll(partitions);
      try {
        writer.awaitAnswers(LAST_ANSWERS);
        commits.commitNow(going, LAST_ANSWERS);
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      } catch (KafkaException e) {
        LOG.atInfo()
            .addKeyValue("source", spec.topic())
            .addKeyValue("error", e.toString())
            .log("a last position was not committed; some records will be copied again");
      }
      onPartitionsLost(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      forget(partitions);
      positions.lost(partitions);
    }
  }

  Map<MetricName, ? extends Metric> metrics() {
    return consumer.metrics();
  }

  void wakeup() {
    consumer.wakeup();
  }

  /** Commits, leaves the group and closes the clients. */
  @Override
  public void close() {
    try {
      consumer.close(CloseOptions.timeout(Duration.ofSeconds(5)));
    } finally {
      writer.close();
      admin.close(Duration.ofSeconds(1));
    }
  }
}
