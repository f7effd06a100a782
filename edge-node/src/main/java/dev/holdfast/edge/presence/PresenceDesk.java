package dev.holdfast.edge.presence;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is told what of whom: decides which partitions are read, and answers from them. Knows neither
 * Kafka nor sessions nor a clock; all of it runs on one thread.
 */
final class PresenceDesk {
  /** How long a partition that did not fit is not tried again. */
  static final long REFUSED_MS = 30_000;

  private static final Logger LOG = LoggerFactory.getLogger(PresenceDesk.class);

  private final PresenceConfig config;
  private final PresenceLog log;
  private final PresenceCounters counters;
  private final IntConsumer released;
  private final PresencePartitions partitions;
  private @Nullable String topicId;
  private long topicAskedMs;

  /**
   * @param partitionOf the partition of a user
   * @param released told how many watches ended
   */
  PresenceDesk(
      PresenceConfig config,
      PresenceLog log,
      PresenceCounters counters,
      ToIntFunction<String> partitionOf,
      IntConsumer released) {
    this.config = config;
    this.log = log;
    this.counters = counters;
    this.partitions = new PresencePartitions(log, partitionOf);
    this.released = released;
  }

  // ---------------------------------------------------------------- who asks

  /** Begins these watches, or tells them anew. */
  void watch(List<Watch> watches, long nowMs) {
    List<Watch> refused = new ArrayList<>();
    for (Watch watch : watches) {
      PresencePartition partition = partitions.needed(watch.user(), nowMs);
      partition.add(watch);
      if (partition.ready(nowMs)) {
        watch.tell(partition.state(watch.user()));
      } else if (partition.stage() == PresencePartition.Stage.REFUSED) {
        refused.add(watch);
      } else if (!watch.waits) {
        watch.waits = true;
        partition.await(PresenceQuestion.of(watch, nowMs + config.presenceWaitMs()));
      }
    }
    giveUp(refused);
    partitions.askDue(nowMs);
  }

  void unwatch(Collection<Watch> watches, long nowMs) {
    int ended = 0;
    for (Watch watch : watches) {
      PresencePartition partition = partitions.of(watch.user());
      if (partition != null && partition.remove(watch)) {
        partition.neededMs = nowMs;
        ended++;
      }
    }
    released.accept(ended);
  }

  void lookup(String user, Consumer<@Nullable PresenceState> answer, long nowMs) {
    PresencePartition partition = partitions.needed(user, nowMs);
    if (partition.ready(nowMs)) {
      answer.accept(partition.state(user));
    } else if (partition.stage() == PresencePartition.Stage.REFUSED) {
      counters.gaveUp.increment();
      answer.accept(null);
    } else {
      partition.await(PresenceQuestion.of(user, answer, nowMs + config.presenceWaitMs()));
      partitions.askDue(nowMs);
    }
  }

  // ---------------------------------------------------------------- what Kafka says

  /**
   * A partition's offsets.
   *
   * @param id the topic's
   * @param end of what is committed
   * @param askedMs when that was asked
   */
  void ends(int number, String id, long first, long end, long askedMs, long nowMs) {
    PresencePartition partition = partitions.of(number);
    if (partition == null) {
      return;
    }
    partition.asking = false;
    if (!id.equals(topicId)) {
      if (topicId != null && askedMs < topicAskedMs) {
        return; // asked before the topic that is known by now
      }
      anotherTopic(id);
    }
    topicAskedMs = Math.max(topicAskedMs, askedMs);
    if (partition.truncatedAt(end)) {
      readAnew(partition, "it ends before what was read of it");
    }
    switch (partition.stage()) {
      case ASKED -> {
        partition.read(first, end, askedMs);
        log.read(number, first);
        partition.readUpTo(first, nowMs);
      }
      case READING, LIVE -> partition.end(end, askedMs);
      case REFUSED -> {}
    }
  }

  /** A partition's offsets cannot be told now; they are asked for again. */
  void noEnds(int number) {
    PresencePartition partition = partitions.of(number);
    if (partition != null) {
      partition.asking = false;
    }
  }

  /**
   * There is no such topic. A consumer that reads it asks for it in a tight loop, so none does; its
   * end is asked for as ever, and with that it is read again.
   */
  void noTopic() {
    for (PresencePartition partition : partitions.all()) {
      if (partition.isRead()) {
        log.drop(partition.number());
        partition.stop();
      }
    }
  }

  private void anotherTopic(String id) {
    if (topicId != null) {
      LOG.atWarn().log("holdfast.presence is another topic than before; it is read anew");
      for (PresencePartition partition : partitions.all()) {
        if (partition.stage() != PresencePartition.Stage.REFUSED) {
          partition.forget();
          counters.reread.increment();
        }
      }
    }
    topicId = id;
  }

  /** A partition's position is not there any more. */
  void lost(int number) {
    PresencePartition partition = partitions.of(number);
    if (partition != null) {
      readAnew(partition, "the position in it is gone");
    }
  }

  private void readAnew(PresencePartition partition, String why) {
    LOG.atWarn().log("partition {} of presence is read anew: {}", partition.number(), why);
    counters.reread.increment();
    partition.askAgain();
  }

  /**
   * A committed record.
   *
   * @param state null for a deletion
   * @return whether somebody watches the user
   */
  boolean record(int number, String user, @Nullable PresenceState state, long nowMs) {
    PresencePartition partition = partitions.of(number);
    if (partition == null) {
      return false;
    }
    if (!partition.record(user, state)) {
      counters.older.increment();
      return false;
    }
    if (partitions.bytes() > config.presenceBytes()) {
      makeRoom(partition, nowMs);
    }
    return partition.watches(user);
  }

  /** What lies before {@code next} in the partition was read. */
  void readUpTo(int number, long next, long nowMs) {
    PresencePartition partition = partitions.of(number);
    if (partition != null) {
      partition.readUpTo(next, nowMs);
    }
  }

  /** Whether it matters how far the partition was read. */
  boolean behind(int number) {
    PresencePartition partition = partitions.of(number);
    return partition != null && partition.behind();
  }

  // ---------------------------------------------------------------- time and room

  /** To be called about once a second. */
  void tick(long nowMs) {
    for (PresencePartition partition : partitions.all()) {
      giveUpQuestions(partition.overdue(nowMs, false));
    }
    partitions.dropIdle(nowMs, config.presenceIdleMs());
    partitions.askDue(nowMs);
    counters.bytes = partitions.bytes();
    counters.partitions = partitions.all().size();
  }

  /** Partitions that nobody needs make room; where that does not do, the one that grew goes. */
  private void makeRoom(PresencePartition grown, long nowMs) {
    partitions.dropUnneeded(grown);
    if (partitions.bytes() <= config.presenceBytes()) {
      return;
    }
    LOG.atWarn()
        .log(
            "presence needs more than {} bytes: partition {} is not kept, and whoever asks is told"
                + " to come later; raise --presence-mb",
            config.presenceBytes(),
            grown.number());
    grown.refuse(nowMs + REFUSED_MS);
    log.drop(grown.number());
    giveUpQuestions(grown.overdue(nowMs, true));
    giveUp(grown.watches());
  }

  private void giveUpQuestions(List<PresenceQuestion> questions) {
    List<Watch> watches = new ArrayList<>();
    for (PresenceQuestion question : questions) {
      question.giveUp();
      Watch watch = question.watch();
      if (watch == null) {
        counters.gaveUp.increment();
      } else {
        watches.add(watch);
      }
    }
    giveUp(watches);
  }

  /** Ends those that have not ended, and tells each watcher of all of its own at once. */
  private void giveUp(List<Watch> watches) {
    Map<Watcher, List<Watch>> ended = new HashMap<>();
    for (Watch watch : watches) {
      PresencePartition partition = partitions.of(watch.user());
      if (partition != null && partition.remove(watch)) {
        counters.gaveUp.increment();
        released.accept(1);
        ended.computeIfAbsent(watch.watcher(), watcher -> new ArrayList<>()).add(watch);
      }
    }
    ended.forEach(Watcher::gaveUp);
  }
}
