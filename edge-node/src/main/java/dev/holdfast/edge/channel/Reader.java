package dev.holdfast.edge.channel;

import dev.holdfast.channel.Position;
import org.jspecify.annotations.Nullable;

/** One who reads older records of a partition, with others who do. */
interface Reader {
  /** The key whose records it reads. */
  String key();

  /** The offset that it needs next. */
  long next();

  /** Where it says that it stands, to be compared with the log; null: nowhere. */
  @Nullable Position claim();

  /** Whether it can take records now. */
  boolean ready(long nowMs);

  /** The records before its position are as it says: what follows is what it wants. */
  void begins(Place place);

  /**
   * A record of its key.
   *
   * @return false when it cannot take it now; it is offered again later
   */
  boolean take(ChannelEvent event, Place place, long nowMs);

  /**
   * It could not take the record at {@code offset}, and had all that is its before.
   *
   * @param epoch leader epoch of what lies before; below 0: not known
   */
  void paused(Place place, long offset, int epoch);

  /**
   * It cannot go on where it stands.
   *
   * @param reason one of {@link Reasons}
   * @param kept the oldest offset that is kept
   */
  void lost(Place place, String reason, long kept);

  /**
   * Everything before {@code offset} was read.
   *
   * @return whether it has what it wants and leaves
   */
  boolean reached(long offset, int lastEpoch);

  /** Whether nobody waits for it any more. */
  boolean gone();

  /** The log was found to end at {@code end}, before where it was read. */
  void cutOff(long end);

  /** Whether it waits for what would lie behind {@code end}, where the log ends by now. */
  boolean beyond(long end);

  /** The topic is another one now, and this read is over. */
  void uprooted();

  /** The partition cannot be read. */
  void failed(String why);
}
