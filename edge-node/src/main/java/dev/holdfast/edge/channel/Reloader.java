package dev.holdfast.edge.channel;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.Seldom;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what is older than what is followed: it gets feeds ready, lets subscriptions catch up and
 * answers questions about the past ({@link Rereads}). It is also the one who asks Kafka about
 * topics and offsets, and may wait for the answer. One thread; nothing that is live waits for it.
 */
final class Reloader implements Replay {
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Duration ASK = Duration.ofSeconds(10);
  private static final long IDLE_NANOS = Duration.ofMillis(200).toNanos();
  private static final long REST_NANOS = Duration.ofMillis(10).toNanos();
  private static final Logger LOG = LoggerFactory.getLogger(Reloader.class);

  private final RereadLog log;
  private final TopicWatch topics;
  private final Places places;
  private final ChannelLimits limits;
  private final LongSupplier ticker;
  private final Consumer<String> fatal;
  private final Thread thread;
  private final Rereads rereads;
  private final Lookups lookups;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger questions = new AtomicInteger();
  private final Trouble trouble = new Trouble();
  private final Seldom complaint = new Seldom();
  private @Nullable Live live;
  private volatile boolean closing;

  /**
   * @param fatal told when the thread cannot go on
   */
  Reloader(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      ChannelLimits limits,
      Room room,
      ChannelCounters counters,
      LongSupplier ticker,
      Consumer<String> fatal) {
    this.places = new Places(limits.eventBytes());
    this.topics =
        new TopicWatch(
            new TopicLookup(bootstrap, edgeId, overrides, ASK), places, ticker, new Changed());
    this.log = new RereadLog(bootstrap, edgeId, overrides, topics, ASK);
    this.lookups = new Lookups(topics, places);
    this.limits = limits;
    this.ticker = ticker;
    this.fatal = fatal;
    this.rereads = new Rereads(log, places, limits, room, counters);
    this.thread = new Thread(this::run, "holdfast-replay-" + edgeId);
  }

  /** Starts the thread, which answers to {@code whom}. */
  void start(Live whom) {
    live = whom;
    rereads.answer(whom);
    thread.start();
  }

  /** Stops the thread; waits a moment for it. */
  void close() {
    closing = true;
    if (thread.getState() == Thread.State.NEW) {
      log.close();
      topics.close();
      return;
    }
    log.wakeup();
    LockSupport.unpark(thread);
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Places places() {
    return places;
  }

  @Override
  public void locate(Subscription s) {
    run(() -> lookups.locate(s));
  }

  /** Looks a topic up ahead of its first use. Any thread. */
  void prime(Namespace namespace) {
    run(() -> lookups.prime(namespace));
  }

  /** Looks whether topics are still what they were. Any thread. */
  void lookSoon() {
    run(topics::lookSoon);
  }

  @Override
  public void load(Place place) {
    run(() -> rereads.load(place));
  }

  @Override
  public void resume(Subscription s, StreamFeed feed, long near) {
    run(() -> rereads.resume(s, feed, near));
  }

  @Override
  public void checkEnd(Subscription s, Feed feed) {
    run(() -> lookups.checkEnd(s, feed));
  }

  /**
   * Reads what was. Any thread.
   *
   * @return false when too many are reading
   */
  boolean past(
      Namespace namespace,
      ChannelName name,
      @Nullable Position after,
      int limit,
      Channels.Past to) {
    if (questions.incrementAndGet() > limits.historyQueries()) {
      questions.decrementAndGet();
      return false;
    }
    Channels.Past counted = new CountedPast(to, questions);
    run(() -> ask(namespace, name, after, limit, counted));
    return true;
  }

  private void ask(
      Namespace namespace,
      ChannelName name,
      @Nullable Position after,
      int limit,
      Channels.Past to) {
    String topic = namespace.topic();
    try {
      Place place = places.newest(namespace, name.key());
      if (place == null && topics.look(topic) != null) {
        place = places.newest(namespace, name.key());
      }
      if (place == null) {
        to.unavailable(TopicWatch.missing(topic));
      } else {
        rereads.past(place, name, after, limit, ticker.getAsLong(), to);
      }
    } catch (KafkaException e) {
      to.unavailable(Reasons.noAnswer(e));
    }
  }

  private void run(Runnable task) {
    tasks.add(task);
    LockSupport.unpark(thread);
  }

  private Live live() {
    Live whom = live;
    if (whom == null) {
      throw new IllegalStateException("not started");
    }
    return whom;
  }

  private void run() {
    try {
      while (!closing) {
        turn();
      }
    } catch (RuntimeException | Error e) {
      if (!closing) {
        LOG.atError().setCause(e).log("the channels' replay thread failed");
        fatal.accept("the channels' replay thread failed: " + e);
      }
    } finally {
      log.close();
      topics.close();
    }
  }

  private void turn() {
    Runnable task = tasks.poll();
    while (task != null && !closing) {
      task.run();
      task = tasks.poll();
    }
    lookups.answer(live());
    topics.lookAround();
    rereads.beginRounds(ticker.getAsLong());
    if (!log.assign(rereads.wanted(), rereads.resting())) {
      if (tasks.isEmpty()) {
        LockSupport.parkNanos(rereads.isEmpty() ? IDLE_NANOS : REST_NANOS);
      }
      return;
    }
    try {
      take(log.poll(POLL));
    } catch (OffsetOutOfRangeException e) {
      e.partitions().forEach(rereads::outOfRange);
    } catch (WakeupException | InterruptException e) {
      if (!closing) {
        throw e;
      }
    } catch (KafkaException e) {
      trouble(e);
    }
  }

  private void trouble(KafkaException e) {
    Map<TopicPartition, String> concerned = trouble.of(e, log.assigned());
    concerned.forEach(rereads::fail);
    if (concerned.isEmpty()) {
      if (complaint.now()) {
        LOG.atWarn().setCause(e).log("channels cannot be read again; who waits is told");
      }
      log.assigned().forEach(partition -> rereads.fail(partition, Reasons.noAnswer(e)));
    }
  }

  private void take(ConsumerRecords<byte[], byte[]> records) {
    long nowMs = ticker.getAsLong();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      ChannelEvent event = Records.event(record);
      if (event != null) {
        rereads.record(new TopicPartition(record.topic(), record.partition()), event, nowMs);
      }
    }
    // Not consumer.position(), which waits while a partition has no leader.
    records
        .nextOffsets()
        .forEach(
            (partition, offset) ->
                rereads.progressed(partition, offset.offset(), Records.epoch(offset)));
    rereads.finish();
  }

  private final class Changed implements TopicWatch.Changes {
    @Override
    public void another(String topic, @Nullable String gone) {
      live().changed(topic, gone);
      rereads.changed(topic);
    }

    @Override
    public void grown(String topic) {
      live().changed(topic, null); // what is read again of its partitions is what it was
    }
  }
}
