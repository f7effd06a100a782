package dev.holdfast.delivery.source;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How far one partition of a source is: its records are begun in order and are done in any order;
 * what may be committed is everything before the first that is not done. One thread begins and
 * asks; any thread says that a record is done.
 */
public final class Progress {
  /** One record under way. */
  public static final class Entry {
    private final long offset;
    private volatile boolean done;

    private Entry(long offset) {
      this.offset = offset;
    }

    /** Its copy is on all in-sync replicas, or there is none to be made. */
    public void done() {
      done = true;
    }
  }

  private final Deque<Entry> underWay = new ArrayDeque<>();
  private long next;

  /**
   * @param next offset of the first record that is not done
   */
  public Progress(long next) {
    this.next = next;
  }

  /** A record is begun; offsets only grow, with holes where there are no records. */
  public Entry begin(long offset) {
    Entry entry = new Entry(offset);
    underWay.add(entry);
    return entry;
  }

  /** The offset that may be committed: all records before it are done. */
  public long next() {
    for (Entry first = underWay.peek(); first != null && first.done; first = underWay.peek()) {
      next = first.offset + 1;
      underWay.remove();
    }
    return next;
  }

  /** Whether every record that was begun is done. */
  public boolean idle() {
    next();
    return underWay.isEmpty();
  }

  /**
   * There are no records before {@code offset} that were not begun: holes at the end of the log.
   */
  public void passed(long offset) {
    if (idle() && offset > next) {
      next = offset;
    }
  }
}
