package dev.holdfast.edge.channel;

import dev.holdfast.channel.Position;
import java.util.Map;
import java.util.TreeMap;

/**
 * The leader epochs of the records that were seen, as the offsets at which each began. A log that
 * was cut off and went on differently has another epoch where the old end was, which is how a
 * position is found to be of a log that is no more (KIP-320). Offered in order of offsets.
 */
final class Epochs {
  /** Not known: nothing was seen there. */
  static final int UNKNOWN = -1;

  /** Changes of leader that are remembered; positions before them have to be looked up. */
  private static final int MOST = 64;

  private final TreeMap<Long, Integer> begins = new TreeMap<>();
  private int first = UNKNOWN;
  private int last = UNKNOWN;

  void note(long offset, int epoch) {
    if (epoch != last && epoch >= 0) {
      begins.put(offset, epoch);
      first = last == UNKNOWN ? epoch : first;
      last = epoch;
      if (begins.size() > MOST) {
        begins.pollFirstEntry();
        first = UNKNOWN;
      }
    }
  }

  /**
   * Whether the log before a position is another one than its client saw. Epochs only grow, so an
   * older one there is no sign: the record itself may have been compacted away.
   */
  boolean contradict(Position claim) {
    return claim.epoch() >= 0 && claim.next() > 0 && at(claim.next() - 1) > claim.epoch();
  }

  /**
   * The same where every event counts. When no record from before the position was seen, a newer
   * leader of the first one behind it is taken for a sign, since who is told {@code recovered} must
   * not miss anything.
   */
  boolean doubt(Position claim) {
    boolean unknown = claim.next() > 0 && at(claim.next() - 1) == UNKNOWN;
    return unknown ? claim.epoch() >= 0 && first > claim.epoch() : contradict(claim);
  }

  /** Whether a record is of another leader than the one that was seen at its place. */
  boolean differ(long offset, int epoch) {
    int seen = at(offset);
    return seen != UNKNOWN && epoch >= 0 && seen != epoch;
  }

  /** The epoch of the newest record. */
  int last() {
    return last;
  }

  /** The epoch of the record at {@code offset}, which must not be after the newest. */
  int at(long offset) {
    Map.Entry<Long, Integer> begin = begins.floorEntry(offset);
    return begin == null ? UNKNOWN : begin.getValue();
  }
}
