package dev.holdfast.edge.ingress;

import dev.holdfast.Limits;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.EventSink;
import dev.holdfast.edge.session.Seldom;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventWriter;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes accepted events to {@code holdfast.events}. Sessions offer to a bounded queue and never
 * wait; one thread takes from it, writes values, chooses partitions, keeps the rosters and calls
 * the producer, which may block while there is no metadata without hurting anybody but the queue.
 * What may be on its way to one partition is bounded ({@link PartitionBudget}), so that one that is
 * away costs the others nothing.
 */
public final class EventPublisher implements EventSink {
  /** How often rosters are looked at when there is nothing else to do. */
  private static final long ROSTER_TICK_MS = 100;

  /** A roster's list that would make a larger record is left out: the broker takes 1 MiB. */
  private static final int LARGEST_ROSTER = 1_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(EventPublisher.class);
  private static final String TOPIC = Topics.EVENTS.topic();

  private final Producer<byte[], byte[]> producer;
  private final int partitions;
  private final EdgeIdentity identity;
  private final EdgeCounters counters;
  private final LongSupplier ticker;
  private final Consumer<String> fatal;
  private final IngressQueue queue;
  private final PartitionBudget budget;
  private final Rosters rosters = new Rosters();
  private final Seldom complaint = new Seldom();
  private final Thread thread;
  private long rostersAtMs;
  private volatile boolean closing;

  /**
   * @param partitions of {@code holdfast.events}, as it was at the start
   * @param ticker monotonic milliseconds
   * @param fatal told when the thread cannot go on
   */
  public EventPublisher(
      String bootstrap,
      Limits limits,
      Map<String, String> overrides,
      int partitions,
      EdgeIdentity identity,
      EdgeCounters counters,
      LongSupplier ticker,
      Consumer<String> fatal) {
    this(
        new KafkaProducer<>(
            ProducerSettings.of(bootstrap, identity.current().id(), limits, overrides),
            new ByteArraySerializer(),
            new ByteArraySerializer()),
        limits,
        partitions,
        identity,
        counters,
        ticker,
        fatal);
  }

  EventPublisher(
      Producer<byte[], byte[]> producer,
      Limits limits,
      int partitions,
      EdgeIdentity identity,
      EdgeCounters counters,
      LongSupplier ticker,
      Consumer<String> fatal) {
    this.producer = producer;
    this.partitions = partitions;
    this.identity = identity;
    this.counters = counters;
    this.ticker = ticker;
    this.fatal = fatal;
    this.queue = new IngressQueue(limits.ingressRecords(), limits.ingressBytes());
    this.budget = new PartitionBudget(partitions, limits.ingressBytes());
    this.thread = new Thread(this::run, "holdfast-ingress-" + identity.current().id());
  }

  /** Starts the thread, once the producer knows where to write. */
  public void start() {
    int known = producer.partitionsFor(TOPIC).size();
    if (known < partitions) {
      throw new IllegalStateException(TOPIC + " has " + known + " partitions, not " + partitions);
    }
    thread.start();
  }

  @Override
  public boolean offer(List<String> users, Event event, @Nullable Outcome outcome) {
    Job.Publish job = new Job.Publish(users, event, outcome);
    boolean taken = offer(job, event instanceof Event.Disconnect);
    if (!taken) {
      counters.overloaded.increment();
    }
    return taken;
  }

  private boolean offer(Job.Publish job, boolean always) {
    int[] records = partitions(job.keys());
    if (always) {
      budget.force(records, job.recordBytes());
    } else if (!budget.take(records, job.recordBytes())) {
      return false;
    }
    boolean queued = always ? queue.force(job) : queue.offer(job);
    return queued || giveBack(records, job.recordBytes());
  }

  private boolean giveBack(int[] records, long bytes) {
    for (int partition : records) {
      budget.release(partition, bytes);
    }
    return false;
  }

  @Override
  public void forget(String user, String connId, EdgeRef edge) {
    boolean unused = queue.force(new Job.Forget(user, connId, edge));
  }

  @Override
  public void rosterWanted(int partition) {
    if (partition >= 0 && partition < partitions) {
      boolean unused = queue.force(new Job.RosterWanted(partition));
    }
  }

  /** Records that wait for Kafka, and their bytes. */
  public IngressDepth depth() {
    return queue.depth();
  }

  /**
   * Takes no more, sends what is queued and waits for Kafka, all within {@code timeout}; then gives
   * the rest up.
   */
  public void close(Duration timeout) {
    if (closing) {
      return;
    }
    long endsAtMs = ticker.getAsLong() + timeout.toMillis();
    queue.close();
    closing = true;
    try {
      thread.join(Math.max(1, timeout.toMillis()));
      if (thread.isAlive()) {
        thread.interrupt();
        thread.join(500);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producer.close(Duration.ofMillis(Math.max(0, endsAtMs - ticker.getAsLong())));
  }

  private void run() {
    try {
      rostersAtMs = ticker.getAsLong();
      while (!queue.drained()) {
        Job job = queue.poll(ROSTER_TICK_MS);
        if (job != null) {
          perform(job);
        }
        sendRosters();
      }
    } catch (InterruptedException | InterruptException e) {
      if (!closing) {
        fatal.accept("the ingress thread was interrupted");
      }
    } catch (RuntimeException | Error e) {
      LOG.atError().setCause(e).log("the ingress thread failed");
      fatal.accept("the ingress thread failed: " + e);
    } finally {
      queue.close();
    }
  }

  private void perform(Job job) {
    if (job instanceof Job.Publish publish) {
      publish(publish);
    } else if (job instanceof Job.Forget forget) {
      rosters.gone(partition(utf8(forget.user())), forget.edge(), forget.connId());
    } else if (job instanceof Job.RosterWanted wanted) {
      rosters.wanted(wanted.partition(), identity.current(), ticker.getAsLong());
      rostersAtMs = ticker.getAsLong();
    }
  }

  private void publish(Job.Publish job) {
    byte[] value = EventWriter.write(job.event());
    Completion completion =
        new Completion(job.keys().size(), job.outcome(), counters, job.offeredNanos());
    for (String user : job.keys()) {
      byte[] key = utf8(user);
      int partition = partition(key);
      enter(partition, user, job.event());
      send(new ProducerRecord<>(TOPIC, partition, key, value), job.recordBytes(), completion);
    }
  }

  /** Keeps the rosters in step with the records. */
  private void enter(int partition, String user, Event event) {
    if (event instanceof Event.Connect c) {
      rosters.connected(partition, c.edge(), user, c.clientId(), c.connId(), ticker.getAsLong());
    } else if (event instanceof Event.Disconnect d) {
      rosters.gone(partition, d.edge(), d.connId());
    }
  }

  private void sendRosters() {
    long nowMs = ticker.getAsLong();
    if (nowMs < rostersAtMs) {
      return;
    }
    rostersAtMs = nowMs + ROSTER_TICK_MS;
    for (Rosters.Due due : rosters.due(nowMs)) {
      byte[] value = EventWriter.write(due.roster());
      if (value.length > LARGEST_ROSTER) {
        complain("a roster's list is too large for one record and was left out", null);
        Event.Roster r = due.roster();
        value = EventWriter.write(new Event.Roster(r.edge(), r.count(), r.digest(), null));
      }
      Completion completion = new Completion(1, due::finished, counters);
      send(new ProducerRecord<>(TOPIC, due.partition(), null, value), 0, completion);
    }
  }

  /**
   * @param bytes on the partition's account, to be taken off when Kafka has answered
   */
  private void send(ProducerRecord<byte[], byte[]> record, long bytes, Completion completion) {
    try {
      var unused =
          producer.send(
              record,
              (metadata, failure) -> {
                if (failure != null) {
                  complain("Kafka refused a record", failure);
                }
                done(record, bytes, completion, failure == null);
              });
    } catch (InterruptException e) {
      done(record, bytes, completion, false);
      throw e;
    } catch (RuntimeException e) {
      complain("the producer refused a record", e);
      done(record, bytes, completion, false);
    }
  }

  private void done(
      ProducerRecord<byte[], byte[]> record, long bytes, Completion completion, boolean stored) {
    budget.release(record.partition(), bytes);
    completion.one(stored);
  }

  private void complain(String what, @Nullable Throwable cause) {
    if (complaint.now()) {
      LOG.atWarn().setCause(cause).log("{}; further ones are not logged for 5 s", what);
    }
  }

  private int[] partitions(List<String> users) {
    return users.stream().mapToInt(user -> partition(utf8(user))).toArray();
  }

  private int partition(byte[] key) {
    return Utils.toPositive(Utils.murmur2(key)) % partitions;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
