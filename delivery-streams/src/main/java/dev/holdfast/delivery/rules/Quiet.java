package dev.holdfast.delivery.rules;

import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.delivery.state.RowWriter;
import dev.holdfast.delivery.state.Rows;
import org.jspecify.annotations.Nullable;

/**
 * When an application that begins without state is quiet: while it reads what was old when it
 * started, for hardly anybody waits for that. Connections that were live all the time do: they are
 * owed {@link DeliveryRules#announce} when the quiet ends. A row remembers that, should the
 * instance die meanwhile. Used by one thread.
 */
public final class Quiet {
  private final Rows rows;
  private final long until;
  private final long before;
  private boolean holds;
  private boolean noted;

  /**
   * Begins where {@code rows} are.
   *
   * @param applied the last offset applied, -1 where there is no state
   * @param end offset behind the log's last record at the start
   * @param before milliseconds since 1970 before which a record is old
   */
  public Quiet(Rows rows, long applied, long end, long before) {
    this.rows = rows;
    byte @Nullable [] row = rows.get(Keys.quiet());
    this.noted = row != null;
    if (row == null) {
      this.until = end;
      this.before = before;
    } else {
      RowReader in = new RowReader(row);
      this.until = in.number();
      this.before = in.number();
    }
    this.holds = noted || (applied < 0 && end > 0);
  }

  /** Whether what comes of the record last reached is kept back. */
  public boolean holds() {
    return holds;
  }

  /**
   * The record at {@code at} is to be applied next.
   *
   * @return whether the quiet ends with it, after something was kept back
   */
  public boolean endsAt(LogPosition at) {
    if (!holds) {
      return false;
    }
    if (at.offset() < until && at.timestamp() < before) {
      note();
      return false;
    }
    holds = false;
    if (noted) {
      rows.delete(Keys.quiet());
    }
    return noted;
  }

  private void note() {
    if (!noted) {
      noted = true;
      rows.put(Keys.quiet(), new RowWriter().number(until).number(before).toBytes());
    }
  }
}
