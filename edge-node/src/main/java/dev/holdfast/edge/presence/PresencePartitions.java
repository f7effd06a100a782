package dev.holdfast.edge.presence;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of {@code holdfast.presence} that somebody needs, or needed lately. On the
 * presence thread.
 */
final class PresencePartitions {
  /** How often the end of each partition that is needed is asked for. */
  static final long ASK_MS = 3_000;

  private final PresenceLog log;
  private final ToIntFunction<String> partitionOf;
  private final Map<Integer, PresencePartition> all = new TreeMap<>();

  /**
   * @param partitionOf the partition of a user
   */
  PresencePartitions(PresenceLog log, ToIntFunction<String> partitionOf) {
    this.log = log;
    this.partitionOf = partitionOf;
  }

  @Nullable PresencePartition of(int number) {
    return all.get(number);
  }

  @Nullable PresencePartition of(String user) {
    return all.get(partitionOf.applyAsInt(user));
  }

  /** The user's partition, which is there from now on. */
  PresencePartition needed(String user, long nowMs) {
    PresencePartition partition =
        all.computeIfAbsent(partitionOf.applyAsInt(user), PresencePartition::new);
    partition.neededMs = nowMs;
    if (partition.stage() == PresencePartition.Stage.REFUSED && nowMs >= partition.refusedUntilMs) {
      partition.retry();
    }
    return partition;
  }

  /** All of them; not to be kept. */
  Collection<PresencePartition> all() {
    return all.values();
  }

  /** Asks for the ends of those that are due. */
  void askDue(long nowMs) {
    List<Integer> due = new ArrayList<>();
    for (PresencePartition partition : all.values()) {
      if (!partition.asking
          && partition.stage() != PresencePartition.Stage.REFUSED
          && nowMs - partition.askedMs >= ASK_MS) {
        partition.asking = true;
        partition.askedMs = nowMs;
        due.add(partition.number());
      }
    }
    if (!due.isEmpty()) {
      log.ask(due);
    }
  }

  /** Bytes of records that all of them keep. */
  long bytes() {
    long sum = 0;
    for (PresencePartition partition : all.values()) {
      sum += partition.bytes();
    }
    return sum;
  }

  /** Lets those go that nobody has needed for so long. */
  void dropIdle(long nowMs, long idleMs) {
    for (PresencePartition partition : all.values()) {
      if (partition.needed()) {
        partition.neededMs = nowMs;
      }
    }
    drop(partition -> nowMs - partition.neededMs > idleMs);
  }

  /** Lets those go that nobody needs now, but for one. */
  void dropUnneeded(PresencePartition but) {
    drop(partition -> partition != but && !partition.needed());
  }

  private void drop(Predicate<PresencePartition> which) {
    Iterator<PresencePartition> each = all.values().iterator();
    while (each.hasNext()) {
      PresencePartition partition = each.next();
      if (which.test(partition)) {
        each.remove();
        log.drop(partition.number());
      }
    }
  }
}
