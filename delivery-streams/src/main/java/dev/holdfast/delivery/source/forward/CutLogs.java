package dev.holdfast.delivery.source.forward;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a source goes on whose position the log does not have any more. For the thread of its
 * consumer.
 *
 * <p>After an unclean leader election a log lacks its last records, and others come to lie at their
 * offsets. A position that is sought with the leader epoch of what lies before it makes the
 * consumer ask the broker where that epoch ends; if before the position, {@link #found} is told,
 * and the source goes on there. Nothing that lies behind was copied before: the records have
 * another epoch, and so another identity.
 */
final class CutLogs {
  private static final Logger LOG = LoggerFactory.getLogger(CutLogs.class);

  private final String topic;
  private final Map<TopicPartition, OffsetAndMetadata> partings = new HashMap<>();

  CutLogs(String topic) {
    this.topic = topic;
  }

  /** These logs were cut before what was read of them. */
  void found(LogTruncationException e) {
    e.offsetOutOfRangePartitions()
        .forEach(
            (partition, was) -> {
              OffsetAndMetadata parting = e.divergentOffsets().get(partition);
              LOG.warn(
                  "source {} was at {} of {}, which was cut{}, as after an unclean leader election;"
                      + " what is gone and was copied stays delivered, and what was written in its"
                      + " place is copied",
                  topic,
                  was,
                  partition,
                  parting == null ? "" : " at " + parting.offset());
              // Where the broker does not know, at the old place: without an epoch it is not asked.
              partings.put(partition, parting == null ? new OffsetAndMetadata(was) : parting);
            });
  }

  /** These partitions are no longer the member's. */
  void forget(Collection<TopicPartition> partitions) {
    partings.keySet().removeAll(partitions);
  }

  /**
   * Where the partition goes on: where its log was cut, if that was found and is not behind the
   * committed position, and else there, as far as the log reaches.
   *
   * @param begin the log's first offset
   * @param end the offset behind its last record
   */
  OffsetAndMetadata goOn(
      TopicPartition partition, OffsetAndMetadata committed, long begin, long end) {
    OffsetAndMetadata parting = partings.remove(partition);
    OffsetAndMetadata wanted =
        parting != null && parting.offset() <= committed.offset() ? parting : committed;
    long offset = wanted.offset();
    if (offset < begin) {
      LOG.warn(
          "source {} lost {} records of {}: they were deleted before they were copied",
          topic,
          begin - offset,
          partition);
      return new OffsetAndMetadata(begin);
    }
    if (offset > end && wanted.leaderEpoch().isEmpty()) {
      LOG.warn(
          "source {} was at {} of {}, which ends at {}: the topic was cut; going on at its end",
          topic,
          offset,
          partition,
          end);
      return new OffsetAndMetadata(end);
    }
    return wanted; // with an epoch the consumer asks the broker whether the log was cut before it
  }
}
