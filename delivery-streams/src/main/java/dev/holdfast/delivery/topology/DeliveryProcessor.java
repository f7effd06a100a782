package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.rules.Forwards;
import dev.holdfast.delivery.rules.Proposals;
import dev.holdfast.delivery.rules.Quiet;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.id.Names;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventReader;
import dev.holdfast.record.EventWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
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

  /** A rebuild from the start of the log does not emit what was older when it began. */
  private static final Duration STALE = Duration.ofSeconds(60);

  /**
   * Largest record that is applied, in bytes of key, value and headers. What comes of it must fit
   * into deliveries, and a forward of it into the log; the broker's own bound is on compressed
   * batches and says nothing about that.
   */
  private static final int MAX_RECORD = (1 << 20) - 4096;

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
  private final class Task {
    private final ProcessorContext<OutKey, byte[]> context;
    private final DeliveryRules rules;
    private final Proposals proposals;
    private final int partition;
    private final StoreRows rows;
    private final Emitter emitter;
    private final Quiet quiet;
    private boolean first = true;
    private LogPosition at = new LogPosition(0, -1, 0);

    Task(ProcessorContext<OutKey, byte[]> context, StoreRows rows) {
      this.context = context;
      this.emitter = new Emitter(context, counters);
      this.rules = new DeliveryRules(rows, emitter, partitions);
      this.proposals = new Proposals(rows);
      this.partition = context.taskId().partition();
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
      try {
        apply(record);
      } catch (BadRecord e) {
        emitter.deadLetter(e.reason(), e.detail());
        rules.skip(at);
      }
    }

    private void apply(Record<byte[], byte[]> record) throws BadRecord {
      checkSize(record);
      Event event = EventReader.read(record.value());
      if (!event.keyed()) {
        rules.step(at, "", event);
        return;
      }
      String user = user(record.key());
      int home = OutKey.partitionFor(record.key(), partitions);
      if (home == partition) {
        checkAge(record.headers());
        if (event instanceof Event.Query && nobodyWaits()) {
          rules.skip(at);
        } else {
          rules.step(at, user, event);
        }
      } else {
        forward(home, record, event);
        rules.skip(at);
      }
    }

    /**
     * Whether who asked has given up long ago, so that reading a mailbox for it would only make
     * those wait who have not. A query changes no row, so this clock decides nothing that stays.
     */
    private boolean nobodyWaits() {
      return quiet.holds() || clock.millis() - at.timestamp() > STALE.toMillis();
    }

    private static void checkSize(Record<byte[], byte[]> record) throws BadRecord {
      long size = record.value() == null ? 0 : record.value().length;
      size += record.key() == null ? 0 : record.key().length;
      for (Header header : record.headers()) {
        size += header.key().length() + (header.value() == null ? 0 : header.value().length);
      }
      if (size > MAX_RECORD) {
        throw new BadRecord(
            "too_large", "the record has " + size + " bytes, at most " + MAX_RECORD);
      }
    }

    /**
     * A rebuild forwards again what was forwarded before. Within the dedup window the copy dies as
     * a repeat; an older one cannot be told from a new message, so it is not taken.
     */
    private void checkAge(Headers headers) throws BadRecord {
      Header time = headers.lastHeader(DeliveryHeaders.FORWARDED_TIME);
      if (time == null) {
        return;
      }
      long originMs;
      try {
        originMs = Long.parseLong(new String(time.value(), StandardCharsets.US_ASCII));
      } catch (NumberFormatException e) {
        throw new BadRecord("bad_event", DeliveryHeaders.FORWARDED_TIME + " is no number");
      }
      if (Forwards.tooOld(originMs, at, rules.rules())) {
        long age = at.timestamp() - originMs;
        throw new BadRecord("stale_forward", "moved " + age + " ms after it was written");
      }
    }

    private static String user(byte @Nullable [] key) throws BadRecord {
      if (key == null) {
        throw new BadRecord("bad_key", "the record has no key; it must be the user");
      }
      String user = new String(key, StandardCharsets.UTF_8);
      if (!Names.valid(user)) {
        throw new BadRecord("bad_key", "the key must be 1-128 characters of [A-Za-z0-9._~@:-]");
      }
      return user;
    }

    /** Producers in other languages hash keys differently; their records move once (D1). */
    private void forward(int home, Record<byte[], byte[]> record, Event event) throws BadRecord {
      if (record.headers().lastHeader(DeliveryHeaders.FORWARDED) != null) {
        throw new BadRecord("wrong_partition", "the record was moved once and is wrong again");
      }
      String origin = eventsTopicId + ':' + partition + ':' + at.offset();
      Headers headers = new RecordHeaders(record.headers());
      headers.add(DeliveryHeaders.FORWARDED, origin.getBytes(StandardCharsets.UTF_8));
      headers.add(DeliveryHeaders.FORWARDED_TIME, ascii(Long.toString(at.timestamp())));
      Event named = Forwards.named(event, origin);
      byte[] value = named.equals(event) ? record.value() : EventWriter.write(named);
      log.forward(home, record.key(), value, headers);
      counters.forwarded.increment();
    }

    void propose() {
      for (Proposals.Proposal p : proposals.due(clock.millis(), rules.rules())) {
        log.propose(partition, p);
      }
    }

    private static byte[] ascii(String text) {
      return text.getBytes(StandardCharsets.US_ASCII);
    }
  }
}
