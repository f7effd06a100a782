package dev.holdfast.delivery.state;

import dev.holdfast.record.Rules;
import dev.holdfast.record.RulesCodec;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The partition's own row: the rules in force and how far the log was applied. The latter is
 * written every {@value #EVERY} offsets only, which is exact enough to notice a log or a state that
 * contradict each other; each mailbox knows its own last offset exactly.
 */
public final class Partition {
  /** Offsets between two writes of the row. */
  public static final int EVERY = 256;

  /** How rows are written; to be raised with any change that older code would misread. */
  static final int FORMAT = 1;

  private Rules rules;
  private long applied;
  private boolean rulesChanged;

  private Partition(Rules rules, long applied) {
    this.rules = rules;
    this.applied = applied;
  }

  /** The row of {@code rows}, or a new one where the log begins. */
  public static Partition load(Rows rows, int partitions) {
    byte @Nullable [] row = rows.get(Keys.partition());
    if (row == null) {
      return new Partition(Rules.defaults(partitions), -1);
    }
    RowReader in = new RowReader(row);
    int format = in.integer();
    if (format != FORMAT) {
      throw new UnknownFormat(format);
    }
    long applied = in.number();
    Map<String, Long> map = new HashMap<>();
    for (int n = in.integer(); n > 0; n--) {
      map.put(in.text(), in.number());
    }
    return new Partition(RulesCodec.fromMap(map), applied);
  }

  public Rules rules() {
    return rules;
  }

  /** The last offset applied, or -1. */
  public long applied() {
    return applied;
  }

  /** Moves to {@code at}. */
  public void advance(Rows rows, LogPosition at) {
    boolean first = applied < 0;
    boolean due = first || at.offset() / EVERY != applied / EVERY;
    applied = at.offset();
    if (first) {
      rows.put(Keys.leavingSentinel(), new byte[0]);
    }
    if (due || rulesChanged) {
      rulesChanged = false;
      save(rows);
    }
  }

  /**
   * From here on {@code next} holds. Kept by the {@link #advance} that follows, with its offset:
   * the one before is not known exactly after a restart, and rows must not differ for that.
   */
  public void become(Rules next) {
    rules = next;
    rulesChanged = true;
  }

  private void save(Rows rows) {
    RowWriter out = new RowWriter().number(FORMAT).number(applied);
    Map<String, Long> map = RulesCodec.toMap(rules);
    out.number(map.size());
    map.forEach((name, value) -> out.text(name).number(value));
    rows.put(Keys.partition(), out.toBytes());
  }

  /** The rows were written by code of another format; going on would misread them. */
  public static final class UnknownFormat extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownFormat(int found) {
      super(
          "the state is in format "
              + found
              + "; this build knows format "
              + FORMAT
              + ": run the build that wrote it, or rebuild the state from the log");
    }
  }
}
