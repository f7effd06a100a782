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

  /** One record for each key, with one value. */
  record Publish(List<String> keys, Event event, EventSink.@Nullable Outcome outcome)
      implements Job {
    private static final int OVERHEAD = 400;

    @Override
    public int records() {
      return keys.size();
    }

    @Override
    public int bytes() {
      int payload = event instanceof Event.Message message ? message.payload().size() : 0;
      return OVERHEAD * keys.size() + payload;
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
