package dev.holdfast.delivery.source.forward;

import dev.holdfast.delivery.source.Begin;
import dev.holdfast.delivery.source.Mark;
import dev.holdfast.delivery.source.Progress;
import dev.holdfast.delivery.source.SourceSpec;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the partitions of one member begin; {@link Begin} tells the rules. A partition that has
 * come is paused until that is settled. For the thread of its consumer.
 */
final class Positions {
  private static final Logger LOG = LoggerFactory.getLogger(Positions.class);
  private static final long LOOK_EVERY_NANOS = 200_000_000L;

  private final SourceSpec spec;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Admin admin;
  private final CompletableFuture<Void> begun;
  private final AtomicReference<@Nullable String> lastTopicId;
  private final Set<TopicPartition> unsettled = new HashSet<>();
  private final CutLogs cuts;
  private String topicId = "";
  private boolean anyMissing = true;
  private boolean gone;
  private long lookedAt = System.nanoTime() - LOOK_EVERY_NANOS;

  /**
   * @param begun completed once every partition of the source has a position
   * @param lastTopicId of the topic when it last had all its positions, kept from one membership to
   *     the next; empty before
   */
  Positions(
      SourceSpec spec,
      KafkaConsumer<byte[], byte[]> consumer,
      Admin admin,
      CompletableFuture<Void> begun,
      AtomicReference<@Nullable String> lastTopicId) {
    this.spec = spec;
    this.cuts = new CutLogs(spec.topic());
    this.consumer = consumer;
    this.admin = admin;
    this.begun = begun;
    this.lastTopicId = lastTopicId;
  }

  /** These partitions, assigned now, need a position. */
  void unsettle(Collection<TopicPartition> partitions) {
    // Some position, so that the consumer does not ask for one itself; nothing is read from it.
    partitions.forEach(partition -> consumer.seek(partition, 0));
    consumer.pause(partitions);
    unsettled.addAll(partitions);
    anyMissing = true; // partitions may have been added to the topic
  }

  /** These partitions are no longer this member's. */
  void lost(Collection<TopicPartition> partitions) {
    unsettled.removeAll(partitions);
    cuts.forget(partitions);
  }

  /** The log of these partitions, which are unsettled, is no longer the one that was read. */
  void cut(LogTruncationException e) {
    cuts.found(e);
  }

  /** The topic's id; known once anything was settled. */
  String topicId() {
    return topicId;
  }

  /**
   * What is committed for a partition whose next record is this.
   *
   * @param epoch leader epoch of what lies before it, or {@link Progress#NO_EPOCH}: by it the
   *     broker knows whether the log was cut since
   */
  OffsetAndMetadata at(long offset, int epoch) {
    Optional<Integer> known = epoch == Progress.NO_EPOCH ? Optional.empty() : Optional.of(epoch);
    return new OffsetAndMetadata(offset, known, new Mark(topicId, spec.from()).text());
  }

  /**
   * Asks whether the topic is still the one that was settled.
   *
   * @throws KafkaException when it is another one, or is gone
   */
  void checkTopic() {
    compare(TopicLook.at(admin, spec.topic()));
  }

  private void compare(Optional<TopicLook> now) {
    if (now.isEmpty() || !now.get().id().equals(topicId)) {
      throw new KafkaException(
          "topic "
              + spec.topic()
              + (now.isEmpty() ? " was deleted" : " was deleted and made anew"));
    }
  }

  /** Gives positions to what lacks them, as far as it can now; those still paused. */
  Map<TopicPartition, OffsetAndMetadata> settle() {
    long now = System.nanoTime();
    if ((unsettled.isEmpty() && !anyMissing) || now - lookedAt < LOOK_EVERY_NANOS) {
      return Map.of();
    }
    lookedAt = now;
    Optional<TopicLook> found = TopicLook.at(admin, spec.topic());
    if (found.isEmpty()) {
      tellGone();
      return Map.of();
    }
    gone = false;
    if (topicId.isEmpty()) {
      topicId = found.get().id();
    }
    compare(found);
    Map<TopicPartition, OffsetAndMetadata> committed = committed(found.get().partitions());
    Map<TopicPartition, OffsetAndMetadata> settled = seek(committed);
    unsettled.removeAll(settled.keySet());
    return settled;
  }

  private Map<TopicPartition, OffsetAndMetadata> seek(
      Map<TopicPartition, OffsetAndMetadata> committed) {
    Map<TopicPartition, OffsetAndMetadata> known = new HashMap<>(committed);
    known.keySet().retainAll(unsettled);
    Map<TopicPartition, OffsetAndMetadata> settled = new HashMap<>();
    if (known.isEmpty()) {
      return settled;
    }
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(known.keySet());
    Map<TopicPartition, Long> ends = consumer.endOffsets(known.keySet());
    known.forEach(
        (partition, at) -> {
          long begin = begins.getOrDefault(partition, 0L);
          long end = ends.getOrDefault(partition, begin);
          OffsetAndMetadata start = start(partition, at, begin, end);
          consumer.seek(partition, start);
          settled.put(partition, start);
        });
    return settled;
  }

  private void tellGone() {
    if (!gone) {
      gone = true;
      LOG.warn(
          "topic {} is gone; its source waits for one of this name and begins at its start",
          spec.topic());
    }
  }

  /** The positions of all partitions of the topic, without those that have none. */
  private Map<TopicPartition, OffsetAndMetadata> committed(int partitions) {
    List<TopicPartition> all =
        IntStream.range(0, partitions).mapToObj(p -> new TopicPartition(spec.topic(), p)).toList();
    Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    consumer
        .committed(Set.copyOf(all))
        .forEach(
            (partition, at) -> {
              if (at != null) {
                committed.put(partition, at);
              }
            });
    if (committed.size() < partitions && consumer.assignment().contains(all.get(0))) {
      committed.putAll(commitMissing(all, committed));
    }
    if (committed.size() == partitions) {
      anyMissing = false;
      lastTopicId.set(topicId);
      begun.complete(null);
    }
    return committed;
  }

  private Map<TopicPartition, OffsetAndMetadata> commitMissing(
      List<TopicPartition> all, Map<TopicPartition, OffsetAndMetadata> committed) {
    List<TopicPartition> missing = all.stream().filter(p -> !committed.containsKey(p)).toList();
    String last = lastTopicId.get();
    boolean known = !committed.isEmpty() || (last != null && !last.equals(topicId));
    boolean earliest = Begin.of(null, known, topicId) == Begin.EARLIEST;
    Map<TopicPartition, Long> offsets =
        earliest ? consumer.beginningOffsets(missing) : configured(missing);
    Map<TopicPartition, OffsetAndMetadata> marked = new HashMap<>();
    offsets.forEach((partition, offset) -> marked.put(partition, at(offset, Progress.NO_EPOCH)));
    try {
      consumer.commitSync(marked);
    } catch (CommitFailedException | RebalanceInProgressException e) {
      return Map.of(); // who has partition 0 after the rebalance does it
    }
    tellBegin(missing, offsets, known);
    return marked;
  }

  private Map<TopicPartition, Long> configured(List<TopicPartition> partitions) {
    if (spec.start().earliest()) {
      return consumer.beginningOffsets(partitions);
    }
    Map<TopicPartition, Long> offsets = new HashMap<>(consumer.endOffsets(partitions));
    if (spec.start().timeMs().isPresent()) {
      Map<TopicPartition, Long> times = new HashMap<>();
      partitions.forEach(p -> times.put(p, spec.start().timeMs().getAsLong()));
      consumer
          .offsetsForTimes(times)
          .forEach(
              (TopicPartition partition, @Nullable OffsetAndTimestamp found) -> {
                if (found != null) {
                  offsets.put(partition, found.offset());
                }
              });
    }
    return offsets;
  }

  private void tellBegin(
      List<TopicPartition> partitions, Map<TopicPartition, Long> offsets, boolean known) {
    if (known) {
      LOG.info(
          "source {} got partitions that are new, and begins at their start: {}",
          spec.topic(),
          offsets);
      return;
    }
    long passedOver = 0;
    for (Map.Entry<TopicPartition, Long> begin : consumer.beginningOffsets(partitions).entrySet()) {
      passedOver += offsets.getOrDefault(begin.getKey(), begin.getValue()) - begin.getValue();
    }
    LOG.atLevel(passedOver > 0 ? org.slf4j.event.Level.WARN : org.slf4j.event.Level.INFO)
        .addKeyValue("source", spec.topic())
        .addKeyValue("start", spec.start())
        .addKeyValue("passedOver", passedOver)
        .log(
            "a source without a position begins; if it ran before, its position was forgotten:"
                + " docs/operations.md, Mailbox sources");
  }

  private OffsetAndMetadata start(
      TopicPartition partition, OffsetAndMetadata committed, long begin, long end) {
    if (Begin.of(committed.metadata(), true, topicId) == Begin.EARLIEST) {
      LOG.info(
          "topic {} was made anew; its source begins at {} of {}", spec.topic(), begin, partition);
      return new OffsetAndMetadata(begin);
    }
    Mark mark = Mark.read(committed.metadata());
    if (mark != null && !mark.from().equals(spec.from())) {
      LOG.warn(
          "source {} copies as {} what it copied as {} before offset {} of {}; a record that is"
              + " copied under both comes twice",
          spec.topic(),
          spec.from(),
          mark.from(),
          committed.offset(),
          partition);
    }
    return cuts.goOn(partition, committed, begin, end);
  }
}
