package dev.holdfast.edge.ingress;

import dev.holdfast.edge.session.EventSink;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the publisher thread does next. */
sealed interface Job {

  /** Records it puts on the queue's account. */
  int records();

  /** Bytes it puts on the queue's account; an estimate that errs high. */
  int bytes();

  /**
   * One record for each key, with one value.
   *
   * @param offeredNanos when it was offered, as {@link System#nanoTime}; decides nothing
   */
  record Publish(
      List<String> keys, Event event, EventSink.@Nullable Outcome outcome, long offeredNanos)
      implements Job {
    /** Names, record format and the object itself. */
    private static final int OVERHEAD = 400;

    /** Most bytes of a character in JSON. */
    private static final int CHAR = 6;

    Publish(List<String> keys, Event event, EventSink.@Nullable Outcome outcome) {
      this(keys, event, outcome, System.nanoTime());
    }

    /** Bytes of each of its records; an estimate that errs high. */
    int recordBytes() {
      return OVERHEAD + valueBytes();
    }

    @Override
    public int records() {
      return keys.size();
    }

    @Override
    public int bytes() {
      return OVERHEAD * keys.size() + valueBytes();
    }

    private int valueBytes() {
      if (event instanceof Event.Message message) {
        return message.payload().size() + text(message.clientMsgId());
      }
      if (event instanceof Event.Query query) {
        return text(query.epoch());
      }
      return event instanceof Event.Connect connect ? text(connect.epoch()) : 0;
    }

    private static int text(@Nullable String any) {
      return any == null ? 0 : CHAR * any.length();
    }
  }

  /** A connection leaves the rosters without a record. */
  record Forget(String user, String connId, EdgeRef edge) implements Job {
    @Override
    public int records() {
      return 0;
    }

    @Override
    public int bytes() {
      return 0;
    }
  }

  /** The log asks for the list of connections of one partition. */
  record RosterWanted(int partition) implements Job {
    @Override
    public int records() {
      return 0;
    }

    @Override
    public int bytes() {
      return 0;
    }
  }
}
