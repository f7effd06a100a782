package dev.holdfast.edge.metrics;

import dev.holdfast.edge.session.EdgeCounters;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log what happened to connections since it last did, in one line each: how many ended
 * and why, how many handshakes were refused and why. A line for every one of them would be the
 * worst at the worst time; those are there at DEBUG. To be run by one thread, now and then.
 */
public final class TrafficLog implements Runnable {
  /** How often it should be run, in milliseconds. */
  public static final long INTERVAL_MS = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(TrafficLog.class);

  private final EdgeCounters counters;
  private Map<String, Long> closesBefore = Map.of();
  private Map<String, Long> handshakesBefore = Map.of();
  private long endedBefore;

  public TrafficLog(EdgeCounters counters) {
    this.counters = counters;
  }

  @Override
  public void run() {
    Map<String, Long> closes = counters.closes();
    long ended = counters.connectionsEnded.sum();
    if (ended > endedBefore) {
      LOG.atInfo()
          .addKeyValue("count", ended - endedBefore)
          .addKeyValue("closedByEdge", grown(closesBefore, closes))
          .log("connections ended");
    }
    closesBefore = closes;
    endedBefore = ended;
    Map<String, Long> handshakes = counters.handshakes.sums();
    Map<String, Long> refused = grown(handshakesBefore, handshakes);
    refused.remove("accepted");
    if (!refused.isEmpty()) {
      LOG.atWarn().addKeyValue("byReason", refused).log("handshakes were refused");
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
