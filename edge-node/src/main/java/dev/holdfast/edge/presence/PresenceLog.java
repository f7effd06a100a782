package dev.holdfast.edge.presence;

import java.util.Collection;

/** What the desk asks of Kafka. Called on the presence thread; nothing here waits. */
interface PresenceLog {
  /**
   * Asks for the topic's id and for the first and the committed end offset of each of these
   * partitions. Each is answered by {@link PresenceDesk#ends} or {@link PresenceDesk#noEnds}.
   */
  void ask(Collection<Integer> partitions);

  /** Reads a partition from an offset on, also one that is being read. */
  void read(int partition, long from);

  /** Reads a partition no more. */
  void drop(int partition);
}
