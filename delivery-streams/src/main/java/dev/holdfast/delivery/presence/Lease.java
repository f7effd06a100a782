package dev.holdfast.delivery.presence;

import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.delivery.state.RowWriter;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.record.ConnDigest;
import dev.holdfast.record.EdgeRef;
import org.jspecify.annotations.Nullable;

/**
 * What one partition knows of one edge: its last sign of life and the connections it answers for.
 */
public final class Lease {
  private final EdgeRef edge;
  private long rosterOffset;
  private long rosterTime;
  private long suspectedAt;
  private long count;
  private long digest;

  private Lease(EdgeRef edge) {
    this.edge = edge;
  }

  /** The edge's lease, or null when it has none here. */
  static @Nullable Lease load(Rows rows, String edgeKey) {
    byte @Nullable [] row = rows.get(Keys.lease(edgeKey));
    return row == null ? null : read(row);
  }

  /** The lease in a row under {@link Keys#lease}. */
  public static Lease read(byte[] row) {
    RowReader in = new RowReader(row);
    Lease lease = new Lease(new EdgeRef(in.text(), in.text(), in.integer()));
    lease.rosterOffset = in.number();
    lease.rosterTime = in.number();
    lease.suspectedAt = in.number();
    lease.count = in.number();
    lease.digest = in.number();
    return lease;
  }

  static Lease loadOrCreate(Rows rows, EdgeRef edge, LogPosition at) {
    Lease lease = load(rows, edge.key());
    if (lease == null) {
      lease = new Lease(edge);
      lease.alive(at);
      rows.put(Keys.connectionsSentinel(edge.key()), new byte[0]);
    }
    return lease;
  }

  void save(Rows rows) {
    rows.put(
        Keys.lease(edge.key()),
        new RowWriter()
            .text(edge.id())
            .text(edge.incarnation())
            .number(edge.partition())
            .number(rosterOffset)
            .number(rosterTime)
            .number(suspectedAt)
            .number(count)
            .number(digest)
            .toBytes());
  }

  /** A sign of life: whatever was suspected is off. */
  void alive(LogPosition at) {
    rosterTime = now(at);
    rosterOffset = at.offset();
    suspectedAt = 0;
  }

  /** The edge's time: the greater of its last time and the event's, for the log's may go back. */
  long now(LogPosition at) {
    return Math.max(at.timestamp(), Math.max(rosterTime, suspectedAt));
  }

  void suspect(long now) {
    suspectedAt = now;
  }

  void add(String connId) {
    count++;
    digest ^= ConnDigest.of(connId);
  }

  void remove(String connId) {
    count--;
    digest ^= ConnDigest.of(connId);
  }

  boolean agrees(long otherCount, long otherDigest) {
    return count == otherCount && digest == otherDigest;
  }

  public EdgeRef edge() {
    return edge;
  }

  /** Offset of its last roster or connect. */
  public long rosterOffset() {
    return rosterOffset;
  }

  /** Log time of that. */
  public long rosterTime() {
    return rosterTime;
  }

  /** Log time of the first suspicion since; 0 for none. */
  public long suspectedAt() {
    return suspectedAt;
  }
}
