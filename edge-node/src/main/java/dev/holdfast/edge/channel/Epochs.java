package dev.holdfast.edge.channel;

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
  private int last = UNKNOWN;

  void note(long offset, int epoch) {
    if (epoch != last && epoch >= 0) {
      begins.put(offset, epoch);
      last = epoch;
      if (begins.size() > MOST) {
        begins.pollFirstEntry();
      }
    }
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
