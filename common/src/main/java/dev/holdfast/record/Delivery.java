package dev.holdfast.record;

import dev.holdfast.RawJson;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A record of {@code holdfast.deliveries}: something an edge must do for one of its connections.
 * Routing is in headers, so that an edge skips its neighbours' records unparsed; the value of a
 * message is the very frame that goes to the socket, or several of them ({@link FrameBatch}).
 *
 * @param to the edge; the record lies in its partition
 * @param user the mailbox's owner, the record's key; empty where the whole edge is meant
 * @param connId the connection, or the query that is answered; empty where the whole edge is meant
 * @param seq the seq of the first message, or the cursor of a {@code sync}, or 0
 * @param value JSON
 */
public record Delivery(Kind kind, EdgeRef to, String user, String connId, long seq, RawJson value) {

  /** What the edge does with it. */
  public enum Kind {
    /** Answer the hello; the value is a {@link Welcome}. */
    WELCOME,
    /** Pass on what the connection has not had: a {@link FrameBatch} that begins at {@code seq}. */
    MESSAGE,
    /** The backlog is through. */
    SYNC,
    /** Close the connection; the value is {@code {"code":n}}. */
    CLOSE,
    /** The window is full; without an acknowledgement for a while the client is stalled. */
    HELD,
    /** Send the list of connections with the next roster of partition {@code seq}. */
    ROSTER_WANTED,
    /** Answer the {@link Event.Query} that {@code connId} names; the value is the answer's body. */
    HISTORY;

    private static final Kind[] ALL = values();

    private final String wire = name().toLowerCase(Locale.ROOT);

    /** The header's text. */
    public String wire() {
      return wire;
    }

    /** The kind that a header names, or null when it is none of ours. */
    public static @Nullable Kind ofWire(String wire) {
      for (Kind kind : ALL) {
        if (kind.wire.equals(wire)) {
          return kind;
        }
      }
      return null;
    }
  }
}
