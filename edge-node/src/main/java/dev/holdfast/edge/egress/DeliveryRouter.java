package dev.holdfast.edge.egress;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.edge.history.Queries;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EventSink;
import dev.holdfast.edge.session.Seldom;
import dev.holdfast.edge.session.Session;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.WelcomeCodec;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands one delivery to its connection. Runs on the egress thread. */
final class DeliveryRouter {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryRouter.class);

  private final Sessions sessions;
  private final EventSink sink;
  private final Queries queries;
  private final EdgeCounters counters;
  private final Seldom complaint = new Seldom();

  DeliveryRouter(Sessions sessions, EventSink sink, Queries queries, EdgeCounters counters) {
    this.sessions = sessions;
    this.sink = sink;
    this.queries = queries;
    this.counters = counters;
  }

  /**
   * A delivery for this edge.
   *
   * @param user the record's key; whoever wrote a connect with the id of another user's connection
   *     gets nothing onto that socket
   * @param kind null when its header names none of ours
   * @param value the record's value; for messages the very frames
   */
  void route(Delivery.@Nullable Kind kind, String user, String connId, long seq, byte[] value) {
    if (kind == null) {
      unreadable("unknown kind");
      return;
    }
    if (kind == Delivery.Kind.ROSTER_WANTED) {
      sink.rosterWanted((int) Math.min(seq, Integer.MAX_VALUE));
      return;
    }
    if (kind == Delivery.Kind.HISTORY) {
      queries.answered(connId, user, value);
      return;
    }
    Session session = sessions.get(connId);
    if (session == null) {
      counters.deliveriesDropped.increment();
      return;
    }
    if (!session.isOf(user)) {
      counters.deliveriesMisaddressed.increment();
      complain("a delivery names a connection of another user and was dropped");
      return;
    }
    try {
      deliver(session, kind, seq, value);
    } catch (BadRecord e) {
      unreadable(e.detail());
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("connection {} failed on a {}", connId, kind);
      session.close(CloseCode.INTERNAL_ERROR);
    }
  }

  private static void deliver(Session session, Delivery.Kind kind, long seq, byte[] value)
      throws BadRecord {
    switch (kind) {
      case WELCOME -> session.onWelcome(WelcomeCodec.read(value));
      case MESSAGE -> session.onMessages(seq, value);
      case SYNC -> session.onSync(seq, value);
      case CLOSE -> session.onClose(closeCode(value));
      case HELD -> session.onHeld(seq);
      case ROSTER_WANTED, HISTORY ->
          throw new IllegalStateException("is for the edge, not a connection");
    }
  }

  /** The code in {@code {"code":n}}; one that this edge does not know counts as 1012. */
  static CloseCode closeCode(byte[] value) throws BadRecord {
    try (JsonParser in = JsonIo.parser(value)) {
      while (in.nextToken() != null) {
        if (in.currentToken() == JsonToken.VALUE_NUMBER_INT && "code".equals(in.currentName())) {
          return named(in.getIntValue());
        }
      }
    } catch (IOException e) {
      throw new BadRecord("bad_close", "the value is not JSON");
    }
    throw new BadRecord("bad_close", "code is missing");
  }

  private static CloseCode named(int number) {
    for (CloseCode code : CloseCode.values()) {
      if (code.code() == number) {
        return code;
      }
    }
    return CloseCode.SERVICE_RESTART;
  }

  private void unreadable(String why) {
    counters.deliveriesUnreadable.increment();
    complain("a delivery cannot be read: " + why);
  }

  private void complain(String what) {
    if (complaint.now()) {
      LOG.atWarn().log("{}; further ones are not logged for 5 s", what);
    }
  }
}
