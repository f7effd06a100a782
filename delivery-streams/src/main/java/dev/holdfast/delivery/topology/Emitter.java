package dev.holdfast.delivery.topology;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Emits what comes of one partition's records, each with the time of the record that caused it. On
 * the task's stream thread only.
 */
final class Emitter implements Effects {
  private static final Logger LOG = LoggerFactory.getLogger(Emitter.class);
  private static final int MAX_DEAD_LETTER = 1 << 20;

  private final ProcessorContext<OutKey, byte[]> context;
  private final Counters counters;
  private final int partition;
  private boolean quiet;
  private Record<byte[], byte[]> current = new Record<>(new byte[0], new byte[0], 0);
  private LogPosition at = new LogPosition(0, -1, 0);

  Emitter(ProcessorContext<OutKey, byte[]> context, Counters counters) {
    this.context = context;
    this.counters = counters;
    this.partition = context.taskId().partition();
  }

  /**
   * What is emitted from now on comes of this record.
   *
   * @param keptBack whether deliveries and dead letters are kept back
   */
  void causedBy(Record<byte[], byte[]> record, LogPosition position, boolean keptBack) {
    current = record;
    at = position;
    quiet = keptBack;
  }

  @Override
  public void deliver(Delivery d) {
    if (quiet) {
      return;
    }
    RecordHeaders headers = new RecordHeaders();
    headers.add(DeliveryHeaders.EDGE, d.to().keyBytes());
    headers.add(DeliveryHeaders.CONN, ascii(d.connId()));
    headers.add(DeliveryHeaders.KIND, ascii(d.kind().wire()));
    headers.add(DeliveryHeaders.SEQ, ascii(Long.toString(d.seq())));
    counters.deliveries.increment();
    context.forward(
        new Record<>(
            new OutKey(d.user(), d.to().partition()), d.value().utf8(), at.timestamp(), headers),
        DeliveryTopology.DELIVERIES);
  }

  @Override
  public void presence(String user, RawJson record) {
    context.forward(
        new Record<>(new OutKey(user, OutKey.BY_KEY), record.utf8(), at.timestamp()),
        DeliveryTopology.PRESENCE);
  }

  @Override
  public void repeat() {
    counters.repeats.increment();
  }

  @Override
  public void deadLetter(String reason, String detail) {
    if (quiet) {
      return;
    }
    counters.deadLetters.count(reason);
    LOG.atWarn()
        .addKeyValue("partition", partition)
        .addKeyValue("offset", at.offset())
        .addKeyValue("reason", reason)
        .log("a record went to {}: {}", Topics.DEAD_LETTERS.topic(), detail);
    RecordHeaders headers = new RecordHeaders();
    headers.add(DeliveryHeaders.TOPIC, ascii(Topics.EVENTS.topic()));
    headers.add(DeliveryHeaders.PARTITION, ascii(Integer.toString(partition)));
    headers.add(DeliveryHeaders.OFFSET, ascii(Long.toString(at.offset())));
    headers.add(DeliveryHeaders.REASON, ascii(reason));
    headers.add(DeliveryHeaders.DETAIL, detail.getBytes(StandardCharsets.UTF_8));
    context.forward(
        new Record<>(deadLetterKey(), shortened(current.value()), at.timestamp(), headers),
        DeliveryTopology.DEAD_LETTERS);
  }

  private OutKey deadLetterKey() {
    byte @Nullable [] key = current.key();
    return new OutKey(
        key == null
            ? ""
            : new String(Arrays.copyOf(key, Math.min(key.length, 1024)), StandardCharsets.UTF_8),
        OutKey.BY_KEY);
  }

  private static byte[] shortened(byte @Nullable [] value) {
    if (value == null) {
      return new byte[0];
    }
    return value.length <= MAX_DEAD_LETTER ? value : Arrays.copyOf(value, MAX_DEAD_LETTER);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
