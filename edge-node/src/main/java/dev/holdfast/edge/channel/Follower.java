package dev.holdfast.edge.channel;

import dev.holdfast.edge.session.Seldom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the partitions that have subscribers, and no others. One thread owns the feeds; everybody
 * else hands it {@link Tasks}.
 */
final class Follower implements Live {
  /** Longest wait for records. */
  private static final Duration POLL = Duration.ofMillis(50);

  /** Nanoseconds between two reads while reads come to nothing. */
  private static final long CALM_NANOS = Duration.ofMillis(25).toNanos();

  /**
   * Most milliseconds that a broker lets a read wait. A partition that is new takes part in the
   * next one only.
   */
  private static final int FETCH_WAIT_MS = 50;

  /** Longest wait while changes wait to be sent. */
  private static final Duration FLUSH = Duration.ofMillis(25);

  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

  /** Failures in a row after which the thread gives up and says so. */
  private static final int PATIENCE = 60;

  private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Reloader reloader;
  private final ChannelCounters counters;
  private final LongSupplier ticker;
  private final InstantSource clock;
  private final Consumer<String> fatal;
  private final Thread thread;
  private final Tasks tasks = new Tasks();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Feeds feeds;
  private final Spin spin;
  private final Misplaced misplaced;
  private final Trouble trouble = new Trouble();
  private final Seldom complaint = new Seldom();
  private volatile boolean polling;
  private volatile boolean closing;
  private int failures;

  /**
   * @param fatal told when the thread cannot go on
   */
  Follower(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      Reloader reloader,
      ChannelCounters counters,
      LongSupplier ticker,
      InstantSource clock,
      Consumer<String> fatal) {
    this.consumer =
        ChannelSettings.consumer(
            bootstrap,
            "holdfast-channels-" + edgeId,
            FETCH_WAIT_MS,
            ChannelSettings.FOLLOW_BYTES,
            overrides);
    Metric reads = ChannelSettings.metric(consumer.metrics(), "fetch-total");
    this.spin = new Spin(() -> (double) reads.metricValue(), System.nanoTime());
    this.reloader = reloader;
    this.counters = counters;
    this.misplaced = new Misplaced(reloader.places(), counters);
    this.ticker = ticker;
    this.clock = clock;
    this.fatal = fatal;
    this.feeds = new Feeds(new Assigned(), reloader, counters);
    this.thread = new Thread(this::run, "holdfast-channels-" + edgeId);
  }

  /** What the consumer reads. */
  private final class Assigned implements Feeds.Source {
    @Override
    public void assign(Set<TopicPartition> partitions) {
      consumer.assign(partitions);
      spin.over(System.nanoTime());
    }

    @Override
    public void seek(TopicPartition partition, long offset, int epoch) {
      // With the epoch the consumer notices when the log was cut off before it read on.
      Optional<Integer> known = epoch < 0 ? Optional.empty() : Optional.of(epoch);
      consumer.seek(partition, new OffsetAndMetadata(offset, known, ""));
    }
  }

  void start() {
    thread.start();
  }

  /** Stops the thread; waits a moment for it. */
  void close() {
    closing = true;
    if (thread.getState() == Thread.State.NEW) {
      consumer.close();
      return;
    }
    wake();
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A new subscription. Any thread. */
  void subscribe(Subscription s) {
    run(() -> feeds.subscribe(s));
  }

  /** A subscription has ended. Any thread. */
  void leave(Subscription s) {
    run(() -> feeds.leave(s));
  }

  @Override
  public void located(Subscription s, Place place) {
    run(() -> feeds.enter(s, place));
  }

  @Override
  public void loaded(Feed feed) {
    run(() -> feeds.loaded(feed));
  }

  @Override
  public void notLoaded(Place place, @Nullable String why) {
    run(() -> feeds.notLoaded(place, why));
  }

  @Override
  public void back(Resumer resumer, @Nullable String reason) {
    run(() -> feeds.back(resumer, reason));
  }

  @Override
  public void ahead(Subscription s, Feed feed, boolean within) {
    run(() -> feeds.ahead(s, feed, within));
  }

  @Override
  public void changed(String topic, @Nullable String gone) {
    run(() -> feeds.changed(topic, gone));
  }

  private void run(Runnable task) {
    tasks.add(task);
    wake();
  }

  private void wake() {
    if (woken.compareAndSet(false, true)) {
      if (polling) {
        consumer.wakeup();
      }
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    try {
      while (!closing) {
        feeds.at(ticker.getAsLong());
        woken.set(false);
        read(tasks.perform());
        feeds.tick();
      }
    } catch (RuntimeException | Error e) {
      if (!closing) {
        LOG.atError().setCause(e).log("the channels' thread failed");
        fatal.accept("the channels' thread failed: " + e);
      }
    } finally {
      consumer.close();
    }
  }

  private void read(boolean more) {
    boolean calm = spin.calm(System.nanoTime());
    Duration wait = more || calm ? Duration.ZERO : feeds.waits() ? FLUSH : POLL;
    if (!more && !woken.get() && (calm || feeds.isEmpty())) {
      LockSupport.parkNanos(calm ? CALM_NANOS : IDLE_NANOS);
    }
    if (feeds.isEmpty()) {
      return;
    }
    try {
      polling = true;
      // Whoever came between the tasks and here has not woken the consumer.
      ConsumerRecords<byte[], byte[]> records = consumer.poll(woken.get() ? Duration.ZERO : wait);
      polling = false;
      take(records);
      failures = 0;
      if (spin.found(records.count(), System.nanoTime())) {
        LOG.atDebug().log("reads of channels come to nothing: are their topics there?");
        reloader.lookSoon();
      }
    } catch (WakeupException e) {
      polling = false;
    } catch (InterruptException e) {
      if (!closing) {
        throw e;
      }
    } catch (KafkaException e) {
      polling = false;
      trouble(e);
    }
  }

  private void take(ConsumerRecords<byte[], byte[]> records) {
    long nowMs = ticker.getAsLong();
    feeds.at(nowMs);
    for (TopicPartition partition : records.partitions()) {
      Feed feed = feeds.of(partition);
      if (feed != null) {
        for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
          take(feed, record, nowMs);
        }
      }
    }
    records
        .nextOffsets()
        .forEach(
            (partition, offset) -> {
              Feed feed = feeds.of(partition);
              if (feed != null) {
                feed.advance(offset.offset(), Records.epoch(offset));
              }
            });
    feeds.taken();
  }

  private void take(Feed feed, ConsumerRecord<byte[], byte[]> record, long nowMs) {
    ChannelEvent event = Records.event(record);
    if (event == null) {
      feed.advance(record.offset() + 1, record.leaderEpoch().orElse(Epochs.UNKNOWN));
      return;
    }
    feed.append(event, nowMs);
    counters.toSocket.recordMs(clock.millis() - record.timestamp());
    misplaced.look(feed.place(), record);
  }

  private void trouble(KafkaException e) {
    Map<TopicPartition, String> concerned = trouble.of(e, consumer.assignment());
    if (e instanceof OffsetOutOfRangeException out) {
      // The log was cut off, or its old end overtook us: each subscription finds out what it means.
      LOG.atWarn().log("{}: who follows looks for the place anew", out.getMessage());
      out.partitions().forEach(partition -> feeds.lose(partition, null));
    } else if (!concerned.isEmpty()) {
      concerned.forEach(feeds::lose);
    } else if (++failures > PATIENCE) {
      throw e;
    } else {
      if (complaint.now()) {
        LOG.atWarn().setCause(e).log("channels cannot be read; trying again");
      }
      LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
    }
  }
}
