package dev.holdfast.testkit.sim;

import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Rules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the connections of one edge may count on: the log ends none of them as long as the edge's
 * rosters are stored in time. Kept from what really was appended, not from what the rules make of
 * it.
 *
 * <p>What excuses a close with 1012, all of it injected: the edge slept, or its producer was
 * stalled or blocked by a full queue, so that no roster came for {@value #SILENCE_MS} ms; the
 * socket is broken, be it unnoticed, or the session has already ended for a reason of its own, of
 * which a refused connect and a new incarnation are two.
 */
final class Liveness {
  /**
   * Least milliseconds of silence after which an edge may lapse: it may miss two rosters before the
   * first suspicion, the second comes an interval later, and the clocks of two leaders of the log
   * differ at most by twice what each may be off.
   */
  static final long SILENCE_MS = 3 * Rules.EDGE_ROSTER_MS - 2 * SimLog.MAX_SKEW_MS;

  private record Page(int partition, EdgeRef edge) {}

  /** The first of {@code rosters} that came after the connect is number {@code first}. */
  private record Connection(long connectMs, List<Long> rosters, int first) {}

  private final Map<Page, List<Long>> rosters = new HashMap<>();
  private final Map<String, Connection> connections = new HashMap<>();

  /** A connect is in the log; the connection counts from here on. */
  void connect(int partition, EdgeRef edge, String connId, long now) {
    List<Long> all = rosters(partition, edge);
    connections.put(connId, new Connection(now, all, all.size()));
  }

  /** A roster is in the log. */
  void roster(int partition, EdgeRef edge, long now) {
    rosters(partition, edge).add(now);
  }

  private List<Long> rosters(int partition, EdgeRef edge) {
    return rosters.computeIfAbsent(new Page(partition, edge), p -> new ArrayList<>());
  }

  /** Why the log may not have ended this connection, or null when it may. */
  @Nullable String complaint(String connId, long now) {
    Connection c = connections.get(connId);
    if (c == null) {
      return "whose connect is not in the log";
    }
    long silence = 0;
    long last = c.connectMs();
    for (long roster : c.rosters().subList(c.first(), c.rosters().size())) {
      silence = Math.max(silence, roster - last);
      last = roster;
    }
    silence = Math.max(silence, now - last);
    return silence >= SILENCE_MS ? null : "whose edge was never silent for more than " + silence;
  }
}
