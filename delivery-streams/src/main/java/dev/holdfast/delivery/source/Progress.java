package dev.holdfast.delivery.source;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How far one partition of a source is: its records are begun in order and are done in any order;
 * what may be committed is everything before the first that is not done. One thread begins and
 * asks; any thread says that a record is done.
 */
public final class Progress {
  /** In place of a leader epoch that is not known. */
  public static final int NO_EPOCH = -1;

  /** One record under way. */
  public static final class Entry {
    private final long offset;
    private final int epoch;
    private volatile boolean done;

    private Entry(long offset, int epoch) {
      this.offset = offset;
      this.epoch = epoch;
    }

    /** Its copy is on all in-sync replicas, or there is none to be made. */
    public void done() {
      done = true;
    }
  }

  private final Deque<Entry> underWay = new ArrayDeque<>();
  private long next;
  private int epoch;
  private long fetched;
  private int fetchedEpoch = NO_EPOCH;

  /**
   * @param next offset of the first record that is not done
   * @param epoch leader epoch of what lies before it, or {@link #NO_EPOCH}
   */
  public Progress(long next, int epoch) {
    this.next = next;
    this.epoch = epoch;
  }

  /**
   * A record is begun; offsets only grow, with holes where there are no records.
   *
   * @param epoch the leader's that took the record, or {@link #NO_EPOCH}
   */
  public Entry begin(long offset, int epoch) {
    Entry entry = new Entry(offset, epoch);
    underWay.add(entry);
    return entry;
  }

  /** The offset that may be committed: all records before it are done. */
  public long next() {
    for (Entry first = underWay.peek(); first != null && first.done; first = underWay.peek()) {
      next = first.offset + 1;
      epoch = first.epoch;
      underWay.remove();
    }
    return next;
  }

  /** The leader epoch of what lies before {@link #next}, as far as that was asked last. */
  public int epoch() {
    return epoch;
  }

  /**
   * The log was fetched up to {@code offset}, holes and all.
   *
   * @param before leader epoch of what lies before it, or {@link #NO_EPOCH}
   */
  public void fetched(long offset, int before) {
    fetched = offset;
    fetchedEpoch = before;
  }

  /**
   * Passes over holes: every record that was fetched has been begun. Does nothing while one of them
   * is under way.
   */
  public void allBegun() {
    next();
    if (underWay.isEmpty() && fetched > next) {
      next = fetched;
      epoch = fetchedEpoch;
    }
  }
}
