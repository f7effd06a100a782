package dev.holdfast.edge.channel;

import dev.holdfast.edge.session.Seldom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the partitions that have subscribers, and no others. One thread owns the feeds; everybody
 * else hands it tasks. Tasks are done in small portions between reads, so that ten thousand who
 * come back at once do not hold up what is live.
 */
final class Follower {
  /** Longest wait for records. */
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Longest wait while changes wait to be sent. */
  private static final Duration FLUSH = Duration.ofMillis(25);

  /** Nanoseconds of tasks between two reads. */
  private static final long PORTION_NANOS = 2_000_000;

  private static final long TICK_MS = 1_000;
  private static final int TICKS_TO_TELL = 15;
  private static final int TICKS_TO_TELL_ALL = 600;

  /** Milliseconds that a feed without subscribers is kept. */
  private static final long UNUSED_MS = 60_000;

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
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Map<TopicPartition, Feed> feeds = new HashMap<>();
  private final Map<TopicPartition, List<Subscription>> loading = new HashMap<>();
  private final Map<TopicPartition, Long> unusedSince = new HashMap<>();
  private final Seldom complaint = new Seldom();
  private volatile boolean polling;
  private volatile boolean closing;
  private boolean dirty;
  private long tickAtMs;
  private int ticks;
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
        new KafkaConsumer<>(
            ChannelSettings.consumer(bootstrap, "holdfast-channels-" + edgeId, overrides),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    this.reloader = reloader;
    this.counters = counters;
    this.ticker = ticker;
    this.clock = clock;
    this.fatal = fatal;
    this.thread = new Thread(this::run, "holdfast-channels-" + edgeId);
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
    run(() -> place(s));
  }

  /** A subscription has ended. Any thread. */
  void leave(Subscription s) {
    run(
        () -> {
          Feed home = s.home();
          if (home != null) {
            home.leave(s);
          }
        });
  }

  /** Where the subscription's channel lies. Any thread. */
  void located(Subscription s, Place place) {
    run(() -> enter(s, place));
  }

  /** A partition is ready to be followed. Any thread. */
  void loaded(Feed feed) {
    run(() -> attach(feed));
  }

  /** A partition cannot be followed. Any thread. */
  void notLoaded(Place place, String why) {
    run(
        () -> {
          List<Subscription> those = loading.remove(partition(place));
          if (those != null) {
            those.forEach(s -> refuse(s, why));
          }
        });
  }

  /** A subscription is back from reading older records. Any thread. */
  void back(Resumer resumer, @Nullable String reason) {
    run(() -> splice(resumer, reason));
  }

  /** Whether a position after the end of what was seen is within the log. Any thread. */
  void ahead(Subscription s, Feed feed, boolean within) {
    run(
        () -> {
          if (feeds.get(partition(feed.place())) != feed) {
            place(s);
          } else if (!s.closed() && within) {
            feed.joinAhead(s);
          } else if (!s.closed()) {
            feed.joinAnew(s, Reasons.TRUNCATED);
          }
        });
  }

  /**
   * A topic is not any more what it was: who follows it looks for it anew. Any thread.
   *
   * @param gone why it cannot be read; null when it is there
   */
  void changed(String topic, @Nullable String gone) {
    run(
        () -> {
          for (TopicPartition partition : Set.copyOf(feeds.keySet())) {
            if (partition.topic().equals(topic)) {
              lose(partition, gone);
            }
          }
        });
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
        boolean more = perform();
        read(more);
        tick();
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

  /** Does some of what was asked for; returns whether more waits. */
  private boolean perform() {
    woken.set(false);
    long until = System.nanoTime() + PORTION_NANOS;
    Runnable task = tasks.poll();
    while (task != null) {
      task.run();
      if (System.nanoTime() - until > 0) {
        return true;
      }
      task = tasks.poll();
    }
    return false;
  }

  private void read(boolean more) {
    Duration wait = more ? Duration.ZERO : dirty ? FLUSH : POLL;
    if (feeds.isEmpty()) {
      if (!more && !woken.get()) {
        LockSupport.parkNanos(wait.toNanos());
      }
      return;
    }
    try {
      polling = true;
      // Whoever came between the tasks and here has not woken the consumer.
      ConsumerRecords<byte[], byte[]> records = consumer.poll(woken.get() ? Duration.ZERO : wait);
      polling = false;
      take(records);
      failures = 0;
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
    for (TopicPartition partition : records.partitions()) {
      Feed feed = feeds.get(partition);
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
              Feed feed = feeds.get(partition);
              if (feed != null) {
                feed.advance(offset.offset());
              }
            });
    dirty = false;
    for (Feed feed : feeds.values()) {
      dirty |= feed.flush(nowMs);
    }
    for (Map.Entry<TopicPartition, Feed> e : List.copyOf(feeds.entrySet())) {
      if (e.getValue().overflown()) {
        lose(e.getKey(), "the newest values of " + e.getKey() + " are too many to be kept");
      }
    }
  }

  private void take(Feed feed, ConsumerRecord<byte[], byte[]> record, long nowMs) {
    ChannelEvent event = Records.event(record);
    if (event == null) {
      feed.advance(record.offset() + 1);
      return;
    }
    feed.append(event, nowMs);
    counters.toSocket.recordMs(clock.millis() - record.timestamp());
    if (!reloader.places().rightful(feed.place(), record)) {
      counters.misplaced.increment();
      if (complaint.now()) {
        LOG.atWarn()
            .log(
                "a record of {} lies in partition {}, where its key does not belong: no subscriber"
                    + " sees it there; keys= of namespace {} must say how its writers hash keys",
                record.topic(),
                record.partition(),
                feed.place().namespace().prefix());
      }
    }
  }

  private void trouble(KafkaException e) {
    if (e instanceof OffsetOutOfRangeException out) {
      // The log was cut off, or its old end overtook us: each subscription finds out what it means.
      LOG.atWarn().log("{}: who follows looks for the place anew", out.getMessage());
      out.partitions().forEach(partition -> lose(partition, null));
    } else if (e instanceof TopicAuthorizationException no) {
      for (TopicPartition partition : Set.copyOf(feeds.keySet())) {
        if (no.unauthorizedTopics().contains(partition.topic())) {
          lose(partition, "this edge may not read topic " + partition.topic());
        }
      }
    } else if (++failures > PATIENCE) {
      throw e;
    } else {
      if (complaint.now()) {
        LOG.atWarn().setCause(e).log("channels cannot be read; trying again");
      }
      LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
    }
  }

  private void place(Subscription s) {
    if (s.closed()) {
      return;
    }
    Place place = reloader.places().known(s.namespace(), s.key());
    if (place == null) {
      reloader.locate(s);
    } else {
      enter(s, place);
    }
  }

  private void enter(Subscription s, Place place) {
    if (s.closed()) {
      return;
    }
    TopicPartition partition = partition(place);
    Feed feed = feeds.get(partition);
    if (feed == null) {
      List<Subscription> those = loading.get(partition);
      if (those == null) {
        those = new ArrayList<>();
        loading.put(partition, those);
        reloader.load(place);
      }
      those.add(s);
    } else {
      join(s, feed);
    }
  }

  private void join(Subscription s, Feed feed) {
    switch (feed.join(s, ticker.getAsLong())) {
      case LIVE -> dirty |= s.latest();
      case BEHIND -> reloader.resume(s, feed);
      case AHEAD -> reloader.checkEnd(s, feed);
      case OVERFLOWN -> refuse(s, "the newest values of its topic are too many to be kept");
    }
  }

  private void attach(Feed feed) {
    TopicPartition partition = partition(feed.place());
    List<Subscription> those = loading.remove(partition);
    if (those == null) {
      return;
    }
    feeds.put(partition, feed);
    counters.feeds.set(feeds.size());
    consumer.assign(feeds.keySet());
    consumer.seek(partition, feed.next());
    for (Subscription s : those) {
      if (!s.closed()) {
        join(s, feed);
      }
    }
  }

  private void splice(Resumer resumer, @Nullable String reason) {
    Subscription s = resumer.subscription();
    Feed feed = resumer.feed();
    if (feeds.get(partition(feed.place())) != feed) {
      s.lost();
      place(s);
    } else if (s.closed()) {
      feed.awayNoMore();
    } else if (reason != null) {
      feed.awayNoMore();
      feed.joinAnew(s, reason);
      s.progress(feed.place(), true);
    } else if (feed.splice(s)) {
      s.progress(feed.place(), true);
    } else {
      reloader.resume(s, feed);
    }
  }

  private static void refuse(Subscription s, String why) {
    if (!s.closed()) {
      s.listener().unavailable(why);
      s.close();
    }
  }

  /** Ends a feed; its subscriptions look for their place anew, or are told why they cannot. */
  private void lose(TopicPartition partition, @Nullable String why) {
    Feed feed = feeds.remove(partition);
    if (feed == null) {
      return;
    }
    counters.feeds.set(feeds.size());
    unusedSince.remove(partition);
    consumer.assign(feeds.keySet());
    reloader.places().forget(partition.topic());
    for (Subscription s : feed.abandon()) {
      if (why == null) {
        place(s);
      } else {
        refuse(s, why);
      }
    }
  }

  private void tick() {
    long nowMs = ticker.getAsLong();
    if (nowMs < tickAtMs) {
      return;
    }
    tickAtMs = nowMs + TICK_MS;
    ticks++;
    if (ticks % TICKS_TO_TELL == 0) {
      long behind = ticks % TICKS_TO_TELL_ALL == 0 ? 1 : Feed.TELL_AFTER;
      feeds.values().forEach(feed -> feed.tellPositions(behind));
    }
    for (Map.Entry<TopicPartition, Feed> e : List.copyOf(feeds.entrySet())) {
      if (!e.getValue().unused()) {
        unusedSince.remove(e.getKey());
      } else if (nowMs - unusedSince.computeIfAbsent(e.getKey(), key -> nowMs) > UNUSED_MS) {
        lose(e.getKey(), null);
      }
    }
  }

  private static TopicPartition partition(Place place) {
    return new TopicPartition(place.namespace().topic(), place.partition());
  }
}
