package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.rules.Forwards;
import dev.holdfast.delivery.rules.Proposals;
import dev.holdfast.delivery.rules.Quiet;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * Between Kafka Streams and the rules: decodes a record, sees that it lies where it belongs,
 * applies it, and has what comes of it emitted. What cannot be read goes to dead letters; an error
 * of the store or of Kafka ends the task uncommitted (D13).
 */
final class DeliveryProcessor implements Processor<byte[], byte[], OutKey, byte[]> {
  private static final Duration TICK = Duration.ofSeconds(1);

  /**
   * Between two looks for who leaves, and how long after the time: the log's clock, which judges it
   * in the end, may be that much behind.
   */
  private static final Duration LEAVES_APART = Duration.ofMillis(50);

  /** A rebuild from the start of the log does not emit what was older when it began. */
  private static final Duration STALE = Duration.ofSeconds(60);

  private final LogWriter log;
  private final InstantSource clock;
  private final StateCheck check;
  private final String eventsTopicId;
  private final int partitions;
  private final Counters counters;
  private final Map<Integer, Long> endsAtStart;

  private @Nullable Task task; // set by init, before anything else

  DeliveryProcessor(
      LogWriter log,
      InstantSource clock,
      StateCheck check,
      String topicId,
      Map<Integer, Long> endsAtStart,
      Counters counters) {
    this.log = log;
    this.clock = clock;
    this.check = check;
    this.eventsTopicId = topicId;
    this.partitions = endsAtStart.size();
    this.endsAtStart = endsAtStart;
    this.counters = counters;
  }

  @Override
  public void init(ProcessorContext<OutKey, byte[]> context) {
    KeyValueStore<Bytes, byte[]> store = context.getStateStore(DeliveryTopology.STORE);
    Task opened = new Task(context, new StoreRows(store));
    task = opened;
    context.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, time -> opened.propose());
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    Task opened = task;
    if (opened == null) {
      throw new IllegalStateException("process before init");
    }
    opened.process(record);
  }

  /** One assigned partition. */
  private final class Task implements Intake.Outside {
    private final ProcessorContext<OutKey, byte[]> context;
    private final DeliveryRules rules;
    private final Intake intake;
    private final Proposals proposals;
    private final int partition;
    private final StoreRows rows;
    private final Emitter emitter;
    private final Quiet quiet;
    private boolean first = true;
    private @Nullable Cancellable wake;
    private LogPosition at = new LogPosition(0, -1, 0);

    Task(ProcessorContext<OutKey, byte[]> context, StoreRows rows) {
      this.context = context;
      this.emitter = new Emitter(context, counters);
      this.rules = new DeliveryRules(rows, emitter, partitions);
      this.proposals = new Proposals(rows);
      this.partition = context.taskId().partition();
      this.intake = new Intake(rules, partition, partitions, this);
      this.rows = rows;
      long end = endsAtStart.getOrDefault(partition, 0L);
      this.quiet = new Quiet(rows, rules.applied(), end, clock.millis() - STALE.toMillis());
    }

    void process(Record<byte[], byte[]> record) {
      RecordMetadata where =
          context.recordMetadata().orElseThrow(() -> new IllegalStateException("no position"));
      at = new LogPosition(partition, where.offset(), record.timestamp());
      if (first) {
        check.compare(context.taskId(), rows, rules.applied(), at.offset());
        first = false;
      }
      boolean ended = quiet.endsAt(at);
      emitter.causedBy(record, at, quiet.holds());
      if (ended) {
        rules.announce();
      }
      counters.events.increment();
      intake.apply(record.key(), record.value(), record.headers(), at);
    }

    @Override
    public boolean tooLate(LogPosition asked) {
      return quiet.holds() || clock.millis() - asked.timestamp() > STALE.toMillis();
    }

    @Override
    public void unreadable(BadRecord why) {
      emitter.deadLetter(why.reason(), why.detail());
    }

    @Override
    public void forward(int home, byte[] key, byte[] value, Headers found, Event event) {
      String origin = eventsTopicId + ':' + partition + ':' + at.offset();
      Headers headers = new RecordHeaders(found);
      headers.add(DeliveryHeaders.FORWARDED, origin.getBytes(StandardCharsets.UTF_8));
      headers.add(DeliveryHeaders.FORWARDED_TIME, ascii(Long.toString(at.timestamp())));
      Event named = Forwards.named(event, origin);
      log.forward(home, key, named.equals(event) ? value : EventWriter.write(named), headers);
      counters.forwarded.increment();
    }

    void propose() {
      proposals.due(clock.millis(), rules.rules()).forEach(p -> log.propose(partition, p));
      wakeForNextLeave();
    }

    /** Who leaves between two ticks does so in time; where nobody does, nothing is done for it. */
    private void wakeForNextLeave() {
      long in = proposals.nextLeave() - clock.millis();
      if (wake == null && in < TICK.toMillis()) {
        Duration then = Duration.ofMillis(Math.max(in, 0)).plus(LEAVES_APART);
        wake = context.schedule(then, PunctuationType.WALL_CLOCK_TIME, time -> proposeLeaves());
      }
    }

    private void proposeLeaves() {
      if (wake != null) {
        wake.cancel();
        wake = null;
      }
      proposals.leaves(clock.millis(), rules.rules()).forEach(p -> log.propose(partition, p));
      wakeForNextLeave();
    }

    private static byte[] ascii(String text) {
      return text.getBytes(StandardCharsets.US_ASCII);
    }
  }
}
