package dev.holdfast.edge.metrics;

import dev.holdfast.edge.session.EdgeCounters;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log what happened to connections since it last did, in one line each: how many ended
 * and which the edge closed for what reason, how many handshakes were refused and why. A line for
 * every one of them would be the worst at the worst time; those are there at DEBUG. An edge counts
 * a close when it decides on it and an end when the socket is gone, maybe later, so either is told
 * in the interval it falls into. To be run by one thread, now and then.
 */
public final class TrafficLog implements Runnable {
  /** How often it should be run, in milliseconds. */
  public static final long INTERVAL_MS = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(TrafficLog.class);

  private final String edgeId;
  private final EdgeCounters counters;
  private Map<String, Long> closesBefore = Map.of();
  private Map<String, Long> handshakesBefore = Map.of();
  private long endedBefore;

  public TrafficLog(String edgeId, EdgeCounters counters) {
    this.edgeId = edgeId;
    this.counters = counters;
  }

  @Override
  public void run() {
    Map<String, Long> closes = counters.closes();
    Map<String, Long> closed = grown(closesBefore, closes);
    long ended = counters.connectionsEnded.sum();
    if (ended > endedBefore || !closed.isEmpty()) {
      LOG.atInfo()
          .addKeyValue("edge", edgeId)
          .addKeyValue("count", ended - endedBefore)
          .addKeyValue("closedByEdge", closed)
          .log("connections ended");
    }
    closesBefore = closes;
    endedBefore = ended;
    Map<String, Long> handshakes = counters.handshakes.sums();
    Map<String, Long> refused = grown(handshakesBefore, handshakes);
    refused.remove("accepted");
    if (!refused.isEmpty()) {
      LOG.atWarn()
          .addKeyValue("edge", edgeId)
          .addKeyValue("byReason", refused)
          .log("handshakes were refused");
    }
    handshakesBefore = handshakes;
  }

  private static Map<String, Long> grown(Map<String, Long> before, Map<String, Long> now) {
    Map<String, Long> grown = new TreeMap<>();
    now.forEach(
        (name, sum) -> {
          long more = sum - before.getOrDefault(name, 0L);
          if (more > 0) {
            grown.put(name, more);
          }
        });
    return grown;
  }
}
