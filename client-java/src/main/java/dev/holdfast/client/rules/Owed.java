package dev.holdfast.client.rules;

import java.util.ArrayList;
import java.util.List;

/**
 * What a resume did not bring and the application was not given yet: ranges of seqs, oldest first.
 * They do not overlap; neighbours of one epoch are joined. Immutable.
 *
 * @param ranges in the order in which they came to be owed
 */
public record Owed(List<Range> ranges) {
  public static final Owed NOTHING = new Owed(List.of());

  /** Beyond this the two oldest of one epoch are joined with what lies between them. */
  static final int MOST_RANGES = 64;

  /** Behind an epoch: the server has lost this part of it, and uses the seqs again. */
  private static final String GONE = "/gone";

  /**
   * A range of one epoch of the mailbox.
   *
   * @param epoch no server's where the server has lost the range
   * @param from not in it
   * @param to the last one in it
   */
  public record Range(String epoch, long from, long to) {
    public Range {
      if (from < 0 || to <= from) {
        throw new IllegalArgumentException("an empty range: " + from + " to " + to);
      }
    }

    /** The epoch, as the server called it. */
    public String toldEpoch() {
      return epoch.endsWith(GONE) ? epoch.substring(0, epoch.length() - GONE.length()) : epoch;
    }
  }

  public Owed {
    ranges = List.copyOf(ranges);
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  /** The oldest. */
  public Range first() {
    return ranges.get(0);
  }

  /** With (from, to] as well; nothing changes where that is empty. */
  public Owed plus(String epoch, long from, long to) {
    if (to <= from) {
      return this;
    }
    List<Range> next = new ArrayList<>();
    Range joined = new Range(epoch, from, to);
    for (Range range : ranges) {
      boolean touches = range.to() >= joined.from() && range.from() <= joined.to();
      if (range.epoch().equals(epoch) && touches) {
        joined = hull(range, joined);
      } else {
        next.add(range);
      }
    }
    next.add(joined);
    return new Owed(next).bounded();
  }

  /** Without (from, to] of that epoch. */
  public Owed minus(String epoch, long from, long to) {
    List<Range> next = new ArrayList<>();
    for (Range range : ranges) {
      if (!range.epoch().equals(epoch) || range.to() <= from || range.from() >= to) {
        next.add(range);
        continue;
      }
      if (range.from() < from) {
        next.add(new Range(epoch, range.from(), from));
      }
      if (range.to() > to) {
        next.add(new Range(epoch, to, range.to()));
      }
    }
    return new Owed(next);
  }

  /** What lies beyond {@code seq} in that epoch is lost, and stands there to be told so. */
  public Owed gone(String epoch, long seq) {
    Owed next = minus(epoch, seq, Long.MAX_VALUE);
    for (Range range : ranges) {
      if (range.epoch().equals(epoch)) {
        next = next.plus(epoch + GONE, Math.max(seq, range.from()), range.to());
      }
    }
    return next;
  }

  private Owed bounded() {
    if (ranges.size() <= MOST_RANGES) {
      return this;
    }
    List<Range> next = new ArrayList<>(ranges);
    for (int i = 1; i < next.size(); i++) {
      if (next.get(i).epoch().equals(next.get(i - 1).epoch())) {
        Range second = next.remove(i);
        next.set(i - 1, hull(next.get(i - 1), second));
        return new Owed(next);
      }
    }
    return this; // of as many epochs, each made by the loss of a mailbox
  }

  private static Range hull(Range a, Range b) {
    return new Range(a.epoch(), Math.min(a.from(), b.from()), Math.max(a.to(), b.to()));
  }
}
