package dev.holdfast.edge.session;

import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way to {@code holdfast.events}. Records leave in the order in which they were offered. No
 * method blocks; any thread may call.
 */
public interface EventSink {

  /** Told once how an offer ended, on a thread that must not be blocked. */
  @FunctionalInterface
  interface Outcome {
    /**
     * @param stored whether every record is on all in-sync replicas
     */
    void done(boolean stored);
  }

  /**
   * Hands over one record for each key, all or none.
   *
   * @param users the records' keys
   * @return false when there is no room; nothing was taken and {@code outcome} is not called. A
   *     {@link Event.Disconnect} always finds room: its connect once had some
   */
  boolean offer(List<String> users, Event event, @Nullable Outcome outcome);

  /** Takes a connection off the rosters without a record: the log already knows that it ended. */
  void forget(String user, String connId, EdgeRef edge);

  /** Asks for a roster with the list of connections, for one partition of events (D10). */
  void rosterWanted(int partition);
}
