package dev.holdfast.delivery.presence;

import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.delivery.state.RowWriter;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.record.EdgeRef;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The connections of each edge, so that what an edge reports can be compared with the log. */
final class Connections {
  /**
   * One connection.
   *
   * @param missed whether the last list of connections lacked it
   */
  record Row(String user, String clientId, String connId, boolean missed) {}

  private final Rows rows;

  Connections(Rows rows) {
    this.rows = rows;
  }

  /** A connect is a sign of life: an edge that had no connections here sent no rosters either. */
  void add(EdgeRef edge, String user, String clientId, String connId, LogPosition at) {
    Lease lease = Lease.loadOrCreate(rows, edge, at);
    lease.alive(at);
    lease.add(connId);
    lease.save(rows);
    put(edge, new Row(user, clientId, connId, false));
  }

  void remove(EdgeRef edge, String user, String clientId, String connId) {
    byte[] key = Keys.connection(edge.key(), user, clientId);
    byte @Nullable [] row = rows.get(key);
    if (row == null || !new RowReader(row).text().equals(connId)) {
      return;
    }
    rows.delete(key);
    Lease lease = Lease.load(rows, edge.key());
    if (lease != null) {
      lease.remove(connId);
      lease.save(rows);
    }
  }

  void put(EdgeRef edge, Row c) {
    rows.put(
        Keys.connection(edge.key(), c.user(), c.clientId()),
        new RowWriter().text(c.connId()).flag(c.missed()).toBytes());
  }

  /** All edges that have a lease in this partition. */
  List<EdgeRef> edges() {
    List<EdgeRef> found = new ArrayList<>();
    rows.scan(
        Keys.leases(),
        Keys.leasesEnd(),
        (key, value) -> {
          found.add(Lease.read(value).edge());
          return true;
        });
    return found;
  }

  /** All of an edge's connections in this partition. */
  List<Row> of(EdgeRef edge) {
    String key = edge.key();
    List<Row> found = new ArrayList<>();
    rows.scan(
        Keys.connections(key),
        Keys.connectionsSentinel(key),
        (k, value) -> {
          RowReader in = new RowReader(value);
          found.add(
              new Row(
                  Keys.connectionUser(k, key),
                  Keys.connectionClient(k, key),
                  in.text(),
                  in.flag()));
          return true;
        });
    return found;
  }

  /** Forgets the edge; its connections must be gone by now. */
  void forget(EdgeRef edge) {
    rows.delete(Keys.connectionsSentinel(edge.key()));
    rows.delete(Keys.lease(edge.key()));
  }
}
