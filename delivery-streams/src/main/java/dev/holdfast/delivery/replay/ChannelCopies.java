package dev.holdfast.delivery.replay;

import dev.holdfast.channel.ChannelHeaders;
import dev.holdfast.id.MessageId;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What the copies of a run are, and which records are copies. Thread-safe.
 *
 * @param run how copies are called
 * @param topicId of the channel's topic
 * @param from where the originals lie
 * @param to where the copies go
 */
record ChannelCopies(
    ChannelReplay.Run run, String topicId, TopicPartition from, TopicPartition to) {
  /** The id that a record's copy has; null where it can have none. */
  @Nullable String msgId(ConsumerRecord<byte[], byte[]> record) {
    if (run.asNew()) {
      String place = topicId + '-' + record.partition() + '-' + record.offset();
      return MessageId.text(MessageId.hash("holdfast-replay", place, run.name()));
    }
    Header header = record.headers().lastHeader(ChannelHeaders.MSG_ID);
    return header == null ? null : ChannelHeaders.msgId(header.value());
  }

  /**
   * The copy of a record, with the headers of that and its own.
   *
   * @param range of the run
   */
  ProducerRecord<byte[], byte[]> copy(
      ConsumerRecord<byte[], byte[]> record, String msgId, Span range) {
    ProducerRecord<byte[], byte[]> copy =
        new ProducerRecord<>(to.topic(), to.partition(), record.key(), record.value());
    record.headers().forEach(copy.headers()::add);
    CopyMark mark =
        new CopyMark(run.name(), topicId, record.partition(), record.offset(), range.end());
    header(copy, ChannelHeaders.MSG_ID, msgId.getBytes(StandardCharsets.UTF_8));
    header(copy, ChannelHeaders.REPLAY, mark.bytes());
    return copy;
  }

  private static void header(ProducerRecord<byte[], byte[]> record, String name, byte[] value) {
    record.headers().remove(name);
    record.headers().add(name, value);
  }

  /** Whether a record is this run's, or any run's copy of one in the range. */
  boolean copied(ConsumerRecord<byte[], byte[]> record, Span range) {
    CopyMark mark = CopyMark.of(record.headers());
    if (mark == null || !mark.topicId().equals(topicId)) {
      return false;
    }
    boolean within =
        mark.partition() == from.partition()
            && mark.offset() >= range.start()
            && mark.offset() < range.end();
    return within || mark.run().equals(run.name());
  }
}
