package dev.holdfast.delivery.mailbox;

import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.delivery.state.RowWriter;
import dev.holdfast.record.EdgeRef;
import org.jspecify.annotations.Nullable;

/**
 * One client's cursor in its user's mailbox: it was sent everything up to {@code sent} and has
 * acknowledged everything up to {@code acked}; {@code (acked, sent]} is under way.
 */
public final class Client {
  final String clientId;
  @Nullable String connId;
  @Nullable EdgeRef edge;
  @Nullable Long attempt;
  long sent;
  long acked;

  /** Cost of all messages up to {@code sent} and {@code acked}. */
  long sentBytes;

  long ackedBytes;
  int window;

  /**
   * Highest seq ever sent to this client; up to {@code redeliverTo} that was before this
   * connection.
   */
  long high;

  long redeliverTo;

  /** Where the backlog of this connection ends; {@code sync} follows it. */
  long syncTarget;

  boolean synced = true;

  /** Whether a message waits because the window is full. */
  boolean held;

  long since;
  long lastSeen;

  Client(String clientId) {
    this.clientId = clientId;
  }

  static Client read(RowReader in) {
    Client c = new Client(in.text());
    c.connId = in.optionalText();
    if (c.connId != null) {
      c.edge = new EdgeRef(in.text(), in.text(), in.integer());
    }
    c.attempt = in.optionalNumber();
    c.sent = in.number();
    c.acked = in.number();
    c.sentBytes = in.number();
    c.ackedBytes = in.number();
    c.window = in.integer();
    c.high = in.number();
    c.redeliverTo = in.number();
    c.syncTarget = in.number();
    c.synced = in.flag();
    c.held = in.flag();
    c.since = in.number();
    c.lastSeen = in.number();
    return c;
  }

  void write(RowWriter out) {
    out.text(clientId).optional(connId);
    if (connId != null) {
      EdgeRef at = edge();
      out.text(at.id()).text(at.incarnation()).number(at.partition());
    }
    out.optional(attempt)
        .number(sent)
        .number(acked)
        .number(sentBytes)
        .number(ackedBytes)
        .number(window)
        .number(high)
        .number(redeliverTo)
        .number(syncTarget)
        .flag(synced)
        .flag(held)
        .number(since)
        .number(lastSeen);
  }

  /** Whether it has a connection. */
  public boolean live() {
    return connId != null;
  }

  /** Whether {@code conn} is its connection. */
  boolean on(String conn) {
    return conn.equals(connId);
  }

  public String clientId() {
    return clientId;
  }

  /** The edge of a live client. */
  public EdgeRef edge() {
    EdgeRef at = edge;
    if (at == null) {
      throw new IllegalStateException("client has no connection");
    }
    return at;
  }

  /** The connection of a live client. */
  public String connId() {
    String id = connId;
    if (id == null) {
      throw new IllegalStateException("client has no connection");
    }
    return id;
  }

  /** Log time of its connect, or of its last disconnect. */
  public long since() {
    return since;
  }

  public long sent() {
    return sent;
  }

  public long acked() {
    return acked;
  }
}
