package dev.holdfast.delivery.source;

import org.jspecify.annotations.Nullable;

/**
 * Where one partition of a source goes on, from what its group has committed.
 *
 * <p>A partition without a committed offset belongs to a source that never ran (or whose offsets
 * Kafka has forgotten, which looks the same), and then it begins where the configuration says; or
 * it was added to a source that runs, and then every record in it is news. To tell these apart, the
 * missing offsets of <em>all</em> partitions are committed by one member, the one that has
 * partition 0, in one commit: so if any partition has an offset, the source ran. The others wait
 * until they find theirs. One that loses partition 0 meanwhile cannot commit: Kafka takes nothing
 * from a member of an older generation. Kafka forgets the offsets of a topic that is deleted; that
 * it was there, under another id, the members remember as long as they run.
 */
public enum Begin {
  /** At the committed offset. */
  CONTINUE,
  /** At the oldest record that is kept: the topic was made anew, or the partition was added. */
  EARLIEST,
  /** Where {@link SourceSpec#start} says. */
  CONFIGURED;

  /**
   * Where a partition goes on.
   *
   * @param committed what lies beside its committed offset; null when it has no offset
   * @param sourceKnown whether the source ran before, as far as anybody knows
   * @param topicId the topic's id now
   */
  public static Begin of(@Nullable String committed, boolean sourceKnown, String topicId) {
    if (committed == null) {
      return sourceKnown ? EARLIEST : CONFIGURED;
    }
    Mark mark = Mark.read(committed);
    return mark == null || mark.topicId().equals(topicId) ? CONTINUE : EARLIEST;
  }
}
