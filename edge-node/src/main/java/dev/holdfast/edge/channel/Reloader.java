package dev.holdfast.edge.channel;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what is older than what is followed: it gets feeds ready, lets subscriptions catch up and
 * answers questions about the past, with one read of a partition for all who wait on it. It is also
 * the one who asks Kafka about topics and offsets, and may wait for the answer. One thread; nothing
 * that is live waits for it.
 */
final class Reloader {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration ASK = Duration.ofSeconds(10);
  private static final long IDLE_NANOS = Duration.ofMillis(200).toNanos();
  private static final long LOOK_MS = 5_000;
  private static final Logger LOG = LoggerFactory.getLogger(Reloader.class);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final TopicLookup lookup;
  private final Places places;
  private final ChannelLimits limits;
  private final ChannelCounters counters;
  private final LongSupplier ticker;
  private final Consumer<String> fatal;
  private final Thread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Map<TopicPartition, Partition> work = new HashMap<>();
  private final AtomicInteger questions = new AtomicInteger();
  private @Nullable Follower follower;
  private Set<TopicPartition> assigned = Set.of();
  private long lookAtMs;
  private volatile boolean closing;

  /** What is to be read of one partition: first the feed, then for those who wait. */
  private final class Partition {
    private final Pass pass;
    private @Nullable Loading loading;

    Partition(Place place) {
      pass = new Pass(place, limits, counters);
    }
  }

  /**
   * @param fatal told when the thread cannot go on
   */
  Reloader(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      ChannelLimits limits,
      ChannelCounters counters,
      LongSupplier ticker,
      Consumer<String> fatal) {
    this.consumer =
        new KafkaConsumer<>(
            ChannelSettings.consumer(bootstrap, "holdfast-replay-" + edgeId, overrides),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    this.lookup = new TopicLookup(bootstrap, edgeId, overrides, ASK);
    this.places = new Places(limits.eventBytes());
    this.limits = limits;
    this.counters = counters;
    this.ticker = ticker;
    this.fatal = fatal;
    this.thread = new Thread(this::run, "holdfast-replay-" + edgeId);
  }

  /** Starts the thread, which answers to {@code whom}. */
  void start(Follower whom) {
    follower = whom;
    thread.start();
  }

  /** Stops the thread; waits a moment for it. */
  void close() {
    closing = true;
    if (thread.getState() == Thread.State.NEW) {
      consumer.close();
      lookup.close();
      return;
    }
    consumer.wakeup();
    LockSupport.unpark(thread);
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  Places places() {
    return places;
  }

  /** Finds out where a subscription's channel lies. Any thread. */
  void locate(Subscription s) {
    run(
        () -> {
          String why = look(s.namespace());
          Place place = why == null ? places.known(s.namespace(), s.key()) : null;
          if (place != null) {
            follower().located(s, place);
          } else if (!s.closed()) {
            s.listener().unavailable(why == null ? "its topic is gone" : why);
            s.close();
          }
        });
  }

  /** Looks a topic up ahead of its first use. Any thread. */
  void prime(Namespace namespace) {
    run(
        () -> {
          String why = places.partitions(namespace.topic()) == 0 ? look(namespace) : null;
          if (why != null) {
            LOG.atWarn().log("namespace {}: {}", namespace.prefix(), why);
          }
        });
  }

  /** Gets a partition ready to be followed. Any thread. */
  void load(Place place) {
    run(() -> beginLoading(place));
  }

  /** Lets a subscription catch up. Any thread. */
  void resume(Subscription s, Feed feed) {
    run(
        () -> {
          counters.catchingUp.incrementAndGet();
          of(feed.place()).pass.add(new Resumer(s, feed, limits.stalledMs(), this::back));
        });
  }

  /** Finds out whether a position is within the log. Any thread. */
  void checkEnd(Subscription s, Feed feed) {
    run(
        () -> {
          try {
            long end = lookup.end(partition(feed.place()));
            follower().ahead(s, feed, s.next() <= end);
          } catch (KafkaException e) {
            if (!s.closed()) {
              s.listener().unavailable(noAnswer(e));
              s.close();
            }
          }
        });
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
    String why = places.known(namespace, name.key()) == null ? look(namespace) : null;
    Place place = places.known(namespace, name.key());
    if (place == null) {
      to.unavailable(why == null ? "its topic is gone" : why);
      return;
    }
    TopicPartition partition = partition(place);
    try {
      Long end = consumer.endOffsets(Set.of(partition), ASK).get(partition);
      of(place)
          .pass
          .add(
              new PastReader(
                  name.key(),
                  place,
                  after,
                  Math.min(limit, limits.historyEvents()),
                  limits.historyBytes(),
                  limits.historyScan(),
                  end == null ? 0 : end,
                  to));
    } catch (KafkaException e) {
      to.unavailable(noAnswer(e));
    }
  }

  private void run(Runnable task) {
    tasks.add(task);
    LockSupport.unpark(thread);
  }

  private Follower follower() {
    Follower whom = follower;
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
      consumer.close();
      lookup.close();
    }
  }

  private void turn() {
    Runnable task = tasks.poll();
    while (task != null) {
      task.run();
      task = tasks.poll();
    }
    beginRounds();
    lookAround();
    Set<TopicPartition> wanted = wanted();
    if (!wanted.equals(assigned)) {
      consumer.assign(wanted);
      assigned = wanted;
    }
    if (wanted.isEmpty()) {
      if (tasks.isEmpty()) {
        LockSupport.parkNanos(work.isEmpty() ? IDLE_NANOS : POLL.toNanos());
      }
      return;
    }
    try {
      take(consumer.poll(POLL));
    } catch (OffsetOutOfRangeException e) {
      e.partitions().forEach(this::outOfRange);
    } catch (WakeupException | InterruptException e) {
      if (!closing) {
        throw e;
      }
    } catch (KafkaException e) {
      LOG.atWarn().setCause(e).log("channels cannot be read again; who waits is told");
      fail(noAnswer(e));
    }
  }

  private Set<TopicPartition> wanted() {
    Set<TopicPartition> wanted = new HashSet<>();
    work.entrySet().removeIf(e -> e.getValue().loading == null && e.getValue().pass.empty());
    work.forEach(
        (partition, of) -> {
          if (of.loading != null || of.pass.running()) {
            wanted.add(partition);
          }
        });
    return wanted;
  }

  /** Begins to read for those who wait, where nothing is being read. */
  private void beginRounds() {
    for (Map.Entry<TopicPartition, Partition> e : List.copyOf(work.entrySet())) {
      Partition of = e.getValue();
      if (of.loading == null && !of.pass.running() && !of.pass.empty()) {
        try {
          long from = of.pass.begin(begin(e.getKey()), ticker.getAsLong());
          if (from >= 0) {
            seek(e.getKey(), from);
          }
        } catch (KafkaException failure) {
          of.pass.fail(noAnswer(failure));
        }
      }
    }
  }

  private void seek(TopicPartition partition, long offset) {
    if (!assigned.contains(partition)) {
      Set<TopicPartition> more = new HashSet<>(assigned);
      more.add(partition);
      consumer.assign(more);
      assigned = Set.copyOf(more);
    }
    consumer.seek(partition, offset);
  }

  private void beginLoading(Place place) {
    TopicPartition partition = partition(place);
    Partition of = of(place);
    try {
      Long end = consumer.endOffsets(Set.of(partition), ASK).get(partition);
      long begin = begin(partition);
      Loading loading =
          new Loading(new Feed(place, limits, counters), end == null ? 0 : end, limits);
      of.pass.interrupted();
      of.loading = loading;
      seek(partition, loading.from(begin));
      finishIfRead(of, loading.from(begin));
    } catch (KafkaException e) {
      of.loading = null;
      follower().notLoaded(place, noAnswer(e));
    }
  }

  private long begin(TopicPartition partition) {
    Long begin = consumer.beginningOffsets(Set.of(partition), ASK).get(partition);
    return begin == null ? 0 : begin;
  }

  private void take(ConsumerRecords<byte[], byte[]> records) {
    long nowMs = ticker.getAsLong();
    for (TopicPartition partition : records.partitions()) {
      Partition of = work.get(partition);
      if (of != null) {
        for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
          ChannelEvent event = Records.event(record);
          Loading loading = of.loading;
          if (event != null && loading != null) {
            loading.record(event);
          } else if (event != null) {
            of.pass.record(event, nowMs);
          }
        }
      }
    }
    for (Map.Entry<TopicPartition, Partition> e : List.copyOf(work.entrySet())) {
      Partition of = e.getValue();
      if (of.loading != null) {
        finishIfRead(of, consumer.position(e.getKey()));
      } else if (of.pass.running()) {
        of.pass.reached(consumer.position(e.getKey()));
      }
    }
  }

  private void finishIfRead(Partition of, long position) {
    Loading loading = of.loading;
    if (loading != null && loading.done(position)) {
      of.loading = null;
      follower().loaded(loading.feed());
    }
  }

  /** What was about to be read is not there any more. */
  private void outOfRange(TopicPartition partition) {
    Partition of = work.get(partition);
    if (of == null) {
      return;
    }
    Loading loading = of.loading;
    of.pass.interrupted();
    if (loading != null) {
      of.loading = null;
      places.forget(partition.topic());
      follower().notLoaded(loading.feed().place(), "its topic is changing");
    }
  }

  private void fail(String why) {
    for (Partition of : List.copyOf(work.values())) {
      Loading loading = of.loading;
      if (loading != null) {
        of.loading = null;
        follower().notLoaded(loading.feed().place(), why);
      }
      of.pass.fail(why);
    }
  }

  private void back(Resumer resumer, @Nullable String reason) {
    counters.catchingUp.decrementAndGet();
    follower().back(resumer, reason);
  }

  private Partition of(Place place) {
    return work.computeIfAbsent(partition(place), key -> new Partition(place));
  }

  /** Looks a topic up; returns why it cannot be used, or null. */
  private @Nullable String look(Namespace namespace) {
    try {
      Topic topic = lookup.topic(namespace.topic());
      if (topic == null) {
        return "topic " + namespace.topic() + " does not exist";
      }
      if (places.found(namespace.topic(), topic)) {
        follower().changed(namespace.topic(), null);
      }
      return null;
    } catch (KafkaException e) {
      return noAnswer(e);
    }
  }

  /** Looks now and then whether topics are still what they were. */
  private void lookAround() {
    long nowMs = ticker.getAsLong();
    if (nowMs < lookAtMs) {
      return;
    }
    lookAtMs = nowMs + LOOK_MS;
    for (String name : places.names()) {
      try {
        Topic topic = lookup.topic(name);
        if (topic == null) {
          places.forget(name);
          follower().changed(name, "topic " + name + " does not exist any more");
        } else if (places.found(name, topic)) {
          LOG.atWarn().log("topic {} was made anew or has more partitions", name);
          follower().changed(name, null);
        }
      } catch (KafkaException e) {
        LOG.atDebug().setCause(e).log("topic {} cannot be looked at", name);
        return;
      }
    }
  }

  private static String noAnswer(KafkaException e) {
    return "Kafka does not answer: " + e.getMessage();
  }

  private static TopicPartition partition(Place place) {
    return new TopicPartition(place.namespace().topic(), place.partition());
  }
}
