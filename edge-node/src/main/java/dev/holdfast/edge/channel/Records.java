package dev.holdfast.edge.channel;

import dev.holdfast.Utf8;
import dev.holdfast.channel.ChannelHeaders;
import dev.holdfast.id.Names;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Kafka's records as events. */
final class Records {
  private Records() {}

  /** The event; null when the record's key is no text, so that no channel is called so. */
  static @Nullable ChannelEvent event(ConsumerRecord<byte[], byte[]> record) {
    byte[] key = record.key();
    if (key == null || !Utf8.valid(key)) {
      return null;
    }
    byte[] sender = value(record, ChannelHeaders.FROM);
    String from = sender == null ? null : new String(sender, StandardCharsets.UTF_8);
    return new ChannelEvent(
        record.offset(),
        record.leaderEpoch().orElse(Epochs.UNKNOWN),
        new String(key, StandardCharsets.UTF_8),
        record.timestamp(),
        ChannelHeaders.msgId(value(record, ChannelHeaders.MSG_ID)),
        Names.valid(from) ? from : null,
        record.value());
  }

  /** Leader epoch of what lies before the place that a consumer has come to. */
  static int epoch(OffsetAndMetadata place) {
    return place.leaderEpoch().orElse(Epochs.UNKNOWN);
  }

  private static byte @Nullable [] value(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? null : header.value();
  }
}
