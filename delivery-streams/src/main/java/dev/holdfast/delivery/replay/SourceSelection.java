package dev.holdfast.delivery.replay;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.source.Copy;
import dev.holdfast.delivery.source.Mark;
import dev.holdfast.delivery.source.Progress;
import dev.holdfast.delivery.source.SourceSpec;
import dev.holdfast.delivery.source.forward.TopicLook;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.record.TimestampType;

/**
 * Records of a mailbox source. Only as far as the source itself has come: what it has yet to copy
 * would arrive before its predecessors.
 */
public final class SourceSelection implements Selection {
  private final SourceSpec spec;
  private final TopicLook topic;
  private final Map<TopicPartition, OffsetAndMetadata> committed;

  private SourceSelection(
      SourceSpec spec, TopicLook topic, Map<TopicPartition, OffsetAndMetadata> committed) {
    this.spec = spec;
    this.topic = topic;
    this.committed = committed;
  }

  /**
   * Looks at the topic and at how far its source is.
   *
   * @param neverForwarded the operator says that no source ever copied the topic: all of it is new
   * @throws StartRefused when there is no such topic, or what was copied cannot be told from what
   *     was not
   */
  public static SourceSelection of(SourceSpec spec, Admin admin, boolean neverForwarded)
      throws InterruptedException {
    TopicLook topic =
        TopicLook.at(admin, spec.topic())
            .orElseThrow(() -> new StartRefused("topic " + spec.topic() + " does not exist"));
    Map<TopicPartition, OffsetAndMetadata> committed = committed(spec, admin);
    check(spec, topic.id(), committed, neverForwarded);
    return new SourceSelection(spec, topic, committed);
  }

  /** See {@link #of}. */
  static void check(
      SourceSpec spec,
      String topicId,
      Map<TopicPartition, OffsetAndMetadata> committed,
      boolean neverForwarded) {
    if (committed.isEmpty() != neverForwarded) {
      throw new StartRefused(neverForwarded ? hasPosition(spec) : noPosition(spec));
    }
    for (OffsetAndMetadata at : committed.values()) {
      Mark mark = Mark.read(at.metadata());
      if (mark != null && !mark.topicId().equals(topicId)) {
        throw new StartRefused(
            "topic "
                + spec.topic()
                + " was made anew since its source ran, and nothing of it was copied yet: start"
                + " streams with this source; it begins at the topic's start");
      }
      if (mark != null && !mark.from().equals(spec.from())) {
        throw new StartRefused(
            "the source "
                + spec.topic()
                + " runs as "
                + mark.from()
                + "; under another name every record would be a new message: give --source "
                + spec.topic()
                + ":from="
                + mark.from());
      }
    }
  }

  private static String noPosition(SourceSpec spec) {
    return "group "
        + spec.group()
        + " has no position, so nothing tells what of topic "
        + spec.topic()
        + " was copied: either it never was a mailbox source, or Kafka forgot the position of one"
        + " that stood still for long (offsets.retention.minutes). Every record in the range that"
        + " was not copied within the dedup window would be a new message. If it is a source, start"
        + " streams with it first, and with start=TIME it copies what it missed; if the records"
        + " never were copied and are to be delivered now, give --never-forwarded";
  }

  private static String hasPosition(SourceSpec spec) {
    return "group "
        + spec.group()
        + " has a position, so topic "
        + spec.topic()
        + " is a mailbox source: leave --never-forwarded out";
  }

  private static Map<TopicPartition, OffsetAndMetadata> committed(SourceSpec spec, Admin admin)
      throws InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    try {
      admin
          .listConsumerGroupOffsets(spec.group())
          .partitionsToOffsetAndMetadata()
          .get()
          .forEach(
              (partition, at) -> {
                if (at != null && partition.topic().equals(spec.topic())) {
                  committed.put(partition, at);
                }
              });
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof GroupIdNotFoundException)) {
        throw new StartRefused(
            "the position of group " + spec.group() + " is not known: " + StartRefused.said(e), e);
      }
    }
    return committed;
  }

  @Override
  public String what() {
    return "source " + spec.topic();
  }

  @Override
  public String topic() {
    return spec.topic();
  }

  @Override
  public List<TopicPartition> partitions() {
    return IntStream.range(0, topic.partitions())
        .mapToObj(p -> new TopicPartition(spec.topic(), p))
        .toList();
  }

  @Override
  public long limit(TopicPartition partition) {
    if (committed.isEmpty()) {
      return Long.MAX_VALUE; // it never ran, the operator says
    }
    OffsetAndMetadata at = committed.get(partition);
    return at == null ? 0 : at.offset();
  }

  @Override
  public long leadMs() {
    return 0; // a place names one record, which is copied after it was written
  }

  @Override
  public Choice choose(ConsumerRecord<byte[], byte[]> r) {
    int epoch = r.leaderEpoch().orElse(Progress.NO_EPOCH);
    Copy copy = Copy.of(spec, topic.id(), r.partition(), r.offset(), epoch, r.key(), r.value());
    if (copy instanceof Copy.Forward forward) {
      boolean producersTime = r.timestampType() != TimestampType.LOG_APPEND_TIME;
      return new Choice.Send(
          forward.user(), forward.event(), forward.value(), r.timestamp(), producersTime);
    }
    return new Choice.Not(copy instanceof Copy.Dead dead ? dead.reason() : "no value");
  }
}
