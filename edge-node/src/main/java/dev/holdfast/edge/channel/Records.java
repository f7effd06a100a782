package dev.holdfast.edge.channel;

import dev.holdfast.Utf8;
import dev.holdfast.channel.ChannelHeaders;
import dev.holdfast.id.Names;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Kafka's records as events. */
final class Records {
  private static final Pattern MSG_ID = Pattern.compile("[A-Za-z0-9_-]{22}");

  private Records() {}

  /** The event; null when the record's key is no text, so that no channel is called so. */
  static @Nullable ChannelEvent event(ConsumerRecord<byte[], byte[]> record) {
    byte[] key = record.key();
    if (key == null || !Utf8.valid(key)) {
      return null;
    }
    String msgId = text(record, ChannelHeaders.MSG_ID);
    String from = text(record, ChannelHeaders.FROM);
    return new ChannelEvent(
        record.offset(),
        record.leaderEpoch().orElse(Epochs.UNKNOWN),
        new String(key, StandardCharsets.UTF_8),
        record.timestamp(),
        msgId != null && MSG_ID.matcher(msgId).matches() ? msgId : null,
        Names.valid(from) ? from : null,
        record.value());
  }

  /** Leader epoch of what lies before the place that a consumer has come to. */
  static int epoch(OffsetAndMetadata place) {
    return place.leaderEpoch().orElse(Epochs.UNKNOWN);
  }

  private static @Nullable String text(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null || header.value() == null
        ? null
        : new String(header.value(), StandardCharsets.UTF_8);
  }
}
