package dev.holdfast.edge.presence;

import dev.holdfast.edge.kafka.ClientSettings;
import dev.holdfast.id.Names;
import dev.holdfast.record.BadRecord;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The presence thread: does what is asked, reads what the desk wants read, and sleeps otherwise.
 * While nobody asks for presence it has no connection to Kafka.
 */
public final class PresenceReader implements PresenceLog, AutoCloseable {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final long TICK_MS = 1_000;
  private static final long PAUSE_NANOS = 1_000_000_000;
  private static final String TOPIC = Topics.PRESENCE.topic();
  private static final Logger LOG = LoggerFactory.getLogger(PresenceReader.class);

  private final Map<String, Object> settings;
  private final int partitions;
  private final LongSupplier ticker;
  private final InstantSource clock;
  private final Consumer<String> fatal;
  private final PresenceCounters counters;
  private final PresenceFront front;
  private final PresenceDesk desk;
  private final Thread thread;
  private final List<TopicPartition> assigned = new ArrayList<>();
  private final AtomicBoolean interruptible = new AtomicBoolean();
  private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer;
  private @Nullable PresenceProbe probe;
  private boolean wasWoken;
  private boolean failing;
  private long tickedMs;
  private volatile boolean closing;

  /**
   * @param partitions of {@code holdfast.events}, and so of {@code holdfast.presence}
   * @param ticker monotonic milliseconds
   * @param clock the wall clock, for a metric only
   * @param fatal told when the thread cannot go on
   */
  public PresenceReader(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      int partitions,
      PresenceConfig config,
      PresenceCounters counters,
      LongSupplier ticker,
      InstantSource clock,
      Consumer<String> fatal) {
    this.settings =
        ClientSettings.consumer(
            bootstrap,
            "holdfast-presence-" + edgeId,
            // What an aborted transaction said was never true.
            "read_committed",
            Map.of(),
            overrides);
    this.partitions = partitions;
    this.ticker = ticker;
    this.clock = clock;
    this.fatal = fatal;
    this.counters = counters;
    this.thread = new Thread(this::run, "holdfast-presence-" + edgeId);
    this.front = new PresenceFront(config, counters, this::wake);
    this.desk =
        new PresenceDesk(config, this, counters, user -> partitionOf(bytes(user)), front::released);
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  /** Where sessions and HTTP endpoints ask. */
  public Presence presence() {
    return front;
  }

  /** Stops the thread; waits a moment for it. */
  @Override
  public void close() {
    closing = true;
    KafkaConsumer<byte[], byte[]> reading = consumer;
    if (reading != null) {
      reading.wakeup();
    }
    LockSupport.unpark(thread);
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closing) {
        round();
      }
    } catch (RuntimeException | Error e) {
      if (!closing) {
        LOG.atError().setCause(e).log("the presence thread failed");
        fatal.accept("the presence thread failed: " + e);
      }
    } finally {
      if (consumer != null) {
        consumer.close();
      }
      if (probe != null) {
        probe.close();
      }
    }
  }

  private void round() {
    long nowMs = ticker.getAsLong();
    front.work(desk, nowMs);
    if (nowMs - tickedMs >= TICK_MS) {
      tickedMs = nowMs;
      desk.tick(nowMs);
    }
    if (assigned.isEmpty() || consumer == null) {
      LockSupport.parkNanos(this, PAUSE_NANOS);
    } else {
      poll(consumer);
    }
  }

  /**
   * A poll that was interrupted for a task is followed by one that is not, so that many tasks
   * cannot keep the log from being read.
   */
  private void poll(KafkaConsumer<byte[], byte[]> reading) {
    try {
      interruptible.set(!wasWoken);
      Duration wait = wasWoken || !front.isEmpty() ? Duration.ZERO : POLL;
      wasWoken = false;
      for (ConsumerRecord<byte[], byte[]> record : reading.poll(wait)) {
        take(record);
      }
      failing = false;
    } catch (WakeupException | InterruptException e) {
      wasWoken = true;
    } catch (InvalidOffsetException e) {
      e.partitions().forEach(lost -> lost(lost.partition()));
    } catch (KafkaException e) {
      failed(e);
    } finally {
      interruptible.set(false);
    }
    progress(reading);
  }

  private void lost(int partition) {
    assigned.remove(new TopicPartition(TOPIC, partition));
    assign();
    desk.lost(partition);
  }

  private void take(ConsumerRecord<byte[], byte[]> record) {
    counters.records.increment();
    String user = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    if (!Names.valid(user) || partitionOf(record.key()) != record.partition()) {
      counters.unreadable.increment();
      return;
    }
    try {
      byte @Nullable [] value = record.value();
      PresenceState state = value == null ? null : PresenceCodec.read(user, value);
      if (desk.record(record.partition(), user, state, ticker.getAsLong())) {
        counters.toWatchers.recordMs(clock.millis() - record.timestamp());
      }
    } catch (BadRecord e) {
      counters.unreadable.increment();
    }
  }

  /** Control records have no callback, so only the position tells that an end was reached. */
  private void progress(KafkaConsumer<byte[], byte[]> reading) {
    for (int i = 0; i < assigned.size(); i++) {
      TopicPartition one = assigned.get(i);
      if (desk.behind(one.partition())) {
        try {
          long position = reading.position(one, Duration.ZERO);
          desk.readUpTo(one.partition(), position, ticker.getAsLong());
        } catch (WakeupException e) {
          wasWoken = true; // not known yet; the next round asks again
        } catch (TimeoutException e) {
          return; // nor soon, perhaps: the poll of the next round waits for records as ever
        } catch (InvalidOffsetException e) {
          lost(one.partition());
          return;
        }
      }
    }
  }

  /** Whatever it is, what was read stays and nothing counts as fresh until reading goes on. */
  private void failed(KafkaException e) {
    if (!failing) {
      failing = true;
      LOG.atWarn().setCause(e).log("cannot read {}; trying on", TOPIC);
    }
    LockSupport.parkNanos(this, PAUSE_NANOS);
  }

  /** From any thread: there is something to do. */
  private void wake() {
    KafkaConsumer<byte[], byte[]> reading = consumer;
    if (reading != null && interruptible.compareAndSet(true, false)) {
      reading.wakeup();
    }
    LockSupport.unpark(thread);
  }

  // ---------------------------------------------------------------- what the desk asks

  @Override
  public void ask(Collection<Integer> wanted) {
    PresenceProbe asking = probe;
    if (asking == null) {
      asking = new PresenceProbe(settings, partitions, front::post);
      probe = asking;
    }
    asking.ask(wanted, ticker.getAsLong());
  }

  @Override
  public void read(int partition, long from) {
    KafkaConsumer<byte[], byte[]> reading = consumer;
    if (reading == null) {
      reading =
          new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
      consumer = reading;
    }
    TopicPartition one = new TopicPartition(TOPIC, partition);
    if (!assigned.contains(one)) {
      assigned.add(one);
      assign();
    }
    reading.seek(one, from);
  }

  @Override
  public void drop(int partition) {
    assigned.remove(new TopicPartition(TOPIC, partition));
    assign();
  }

  private void assign() {
    KafkaConsumer<byte[], byte[]> reading = consumer;
    if (reading != null) {
      reading.assign(assigned);
    }
  }

  private int partitionOf(byte[] key) {
    return Utils.toPositive(Utils.murmur2(key)) % partitions;
  }

  private static byte[] bytes(String user) {
    return user.getBytes(StandardCharsets.UTF_8);
  }
}
