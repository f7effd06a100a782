package dev.holdfast.delivery.replay;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.idempotency.Idempotency;
import dev.holdfast.delivery.rules.Forwards;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventReader;
import dev.holdfast.record.EventWriter;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.Utils;

/**
 * The messages of one user in the log.
 *
 * <p>A message without a clientMsgId gets the one that the rules gave it: on the user's own
 * partition they name it after its place there, on another one it was moved under a name of its
 * place. Both are written into the copy.
 *
 * <p>The record in the range may be a repeat itself, a client's retry; the identity is known since
 * the first one, and forgotten by that time. So reading begins a dedup window earlier, and each
 * identity has the time at which it was seen first.
 *
 * <p>A copy that an earlier replay made, of something that was read before it, is left out: with
 * it, each replay of a range would send more than the one before.
 */
public final class UserSelection implements Selection {
  private final String user;
  private final byte[] key;
  private final String topicId;
  private final int home;
  private final long windowMs;
  private final Map<String, First> firstSeen = new HashMap<>();

  /**
   * The first record of an identity.
   *
   * @param timeMs when the identity was known first, ms since 1970
   */
  private record First(int partition, long offset, long timeMs) {
    boolean isBefore(ConsumerRecord<byte[], byte[]> r) {
      return partition == r.partition() && offset < r.offset();
    }
  }

  /**
   * @param topicId of {@code holdfast.events}
   * @param partitions how many it has
   * @param windowMs the dedup window of the rules in force
   */
  public UserSelection(String user, String topicId, int partitions, long windowMs) {
    this.user = user;
    this.key = user.getBytes(StandardCharsets.UTF_8);
    this.topicId = topicId;
    this.home = Utils.toPositive(Utils.murmur2(key)) % partitions;
    this.windowMs = windowMs;
  }

  @Override
  public String what() {
    return "user " + user;
  }

  @Override
  public String topic() {
    return Topics.EVENTS.topic();
  }

  @Override
  public List<TopicPartition> partitions() {
    return List.of(new TopicPartition(topic(), home));
  }

  @Override
  public long limit(TopicPartition partition) {
    return Long.MAX_VALUE;
  }

  @Override
  public long leadMs() {
    return windowMs;
  }

  @Override
  public Choice choose(ConsumerRecord<byte[], byte[]> r) {
    if (!Arrays.equals(key, r.key())) {
      return new Choice.Other();
    }
    try {
      if (!(EventReader.read(r.value()) instanceof Event.Message message)) {
        return new Choice.Other();
      }
      Event.Message named = named(message, r.partition(), r.offset());
      RawJson value = RawJson.of(EventWriter.write(named));
      if (key.length + value.size() > Event.MAX_RECORD) {
        return new Choice.Not("too_large");
      }
      String id =
          MessageId.text(
              MessageId.hash(
                  named.from(), named.clientId(), Objects.requireNonNull(named.clientMsgId())));
      First first =
          firstSeen.merge(id, new First(r.partition(), r.offset(), time(r)), UserSelection::first);
      if (first.isBefore(r) && r.headers().lastHeader(DeliveryHeaders.FORWARDED_TIME) != null) {
        return new Choice.Other();
      }
      return new Choice.Send(user, named, value, first.timeMs(), false);
    } catch (BadRecord e) {
      return new Choice.Not(e.reason());
    }
  }

  /** The place of the one that was read first, the earlier of their times. */
  private static First first(First known, First now) {
    long timeMs = Math.min(known.timeMs(), now.timeMs());
    return new First(known.partition(), known.offset(), timeMs);
  }

  private Event.Message named(Event.Message message, int partition, long offset) {
    String place =
        partition == home
            ? Idempotency.nameOf(partition, offset)
            : topicId + ':' + partition + ':' + offset;
    return (Event.Message) Forwards.named(message, place);
  }

  /** When the broker got it, or its original if this is a copy of one. */
  private static long time(ConsumerRecord<byte[], byte[]> r) throws BadRecord {
    Header origin = r.headers().lastHeader(DeliveryHeaders.FORWARDED_TIME);
    if (origin == null) {
      return r.timestamp();
    }
    try {
      long ms = Long.parseLong(new String(origin.value(), StandardCharsets.US_ASCII));
      return Math.min(ms, r.timestamp());
    } catch (NumberFormatException e) {
      throw new BadRecord("bad_event", DeliveryHeaders.FORWARDED_TIME + " is no number");
    }
  }
}
