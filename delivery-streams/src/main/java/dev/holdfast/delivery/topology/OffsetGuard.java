package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.topic.Topics;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where an application may begin: where it left off, or at offset 0 of a log that is all there.
 * Anything else would count differently from those who saw the whole log (D1, D14).
 */
final class OffsetGuard {
  private static final Logger LOG = LoggerFactory.getLogger(OffsetGuard.class);

  private final Admin admin;
  private final String group;
  private final int partitions;

  OffsetGuard(Admin admin, String group, int partitions) {
    this.admin = admin;
    this.group = group;
    this.partitions = partitions;
  }

  /**
   * Commits offset 0 for a new application, or throws {@link StartRefused} with the reason.
   *
   * @return the log's end now, by partition
   */
  Map<Integer, Long> check() throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> committed = committed();
    Map<TopicPartition, Long> starts = offsets(OffsetSpec.earliest());
    Map<TopicPartition, Long> ends = offsets(OffsetSpec.latest());
    Map<TopicPartition, OffsetAndMetadata> fresh = new HashMap<>();
    for (Map.Entry<TopicPartition, Long> begin : starts.entrySet()) {
      TopicPartition tp = begin.getKey();
      OffsetAndMetadata at = committed.get(tp);
      long start = begin.getValue();
      long end = ends.getOrDefault(tp, Long.MAX_VALUE);
      if (at == null && start > 0) {
        throw new StartRefused(
            tp
                + " begins at offset "
                + start
                + ", and "
                + group
                + " has not read what came"
                + " before: it would give seqs out anew. Start it with the state of an application"
                + " that has read it all");
      }
      if (at == null) {
        fresh.put(tp, new OffsetAndMetadata(0));
      } else if (at.offset() < start) {
        throw new StartRefused(
            group
                + " is at offset "
                + at.offset()
                + " of "
                + tp
                + ", but the log now begins at "
                + start
                + ": records were deleted before they were read. Raise the topic's"
                + " retention.ms and restore from a copy of the state");
      } else if (at.offset() > end) {
        throw new StartRefused(
            group
                + " is at offset "
                + at.offset()
                + " of "
                + tp
                + ", but the log ends at "
                + end
                + ": it was truncated or made anew. If that was meant, delete the group "
                + group
                + " and its changelog topics");
      }
    }
    if (!fresh.isEmpty()) {
      begin(fresh);
    }
    return ends.entrySet().stream()
        .collect(Collectors.toMap(e -> e.getKey().partition(), Map.Entry::getValue));
  }

  private void begin(Map<TopicPartition, OffsetAndMetadata> fresh)
      throws ExecutionException, InterruptedException {
    try {
      admin.alterConsumerGroupOffsets(group, fresh).all().get();
      LOG.atInfo()
          .addKeyValue("application", group)
          .addKeyValue("partitions", fresh.size())
          .log("a new application begins at offset 0");
    } catch (ExecutionException e) {
      // Two instances start together: the other one may have done it and be a member already.
      if (!committed().keySet().containsAll(fresh.keySet())) {
        throw e;
      }
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> committed()
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> all = new HashMap<>();
    admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get()
        .forEach(
            (tp, at) -> {
              if (at != null && tp.topic().equals(Topics.EVENTS.topic())) {
                all.put(tp, at);
              }
            });
    return all;
  }

  private Map<TopicPartition, Long> offsets(OffsetSpec spec)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> wanted =
        IntStream.range(0, partitions)
            .mapToObj(p -> new TopicPartition(Topics.EVENTS.topic(), p))
            .collect(Collectors.toMap(tp -> tp, tp -> spec));
    Map<TopicPartition, Long> found = new HashMap<>();
    for (Map.Entry<TopicPartition, ListOffsetsResultInfo> e :
        admin.listOffsets(wanted).all().get().entrySet()) {
      found.put(e.getKey(), e.getValue().offset());
    }
    return found;
  }
}
