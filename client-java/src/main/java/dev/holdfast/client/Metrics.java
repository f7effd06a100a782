package dev.holdfast.client;

import java.util.List;
import java.util.Map;

/**
 * Counts since the client was made.
 *
 * @param attempts connections tried
 * @param connects connections that got their {@code welcome}
 * @param closes ended connections by close code
 * @param outages how long there was no connection
 * @param byAttempt at index i: connections that succeeded at attempt i + 1 after an end; the last
 *     of 10: that and more
 * @param recoverMs from the end of a connection to the end of the backlog of the next one
 * @param sent messages that the server accepted
 * @param resent messages sent again
 * @param received messages and history handed over
 * @param duplicates messages dropped as already seen
 * @param dropped messages that left the outbox unaccepted
 * @param pings heartbeats sent
 * @param misses heartbeats that nothing answered in time
 */
public record Metrics(
    long attempts,
    long connects,
    Map<Integer, Long> closes,
    Outages outages,
    List<Long> byAttempt,
    Summary recoverMs,
    long sent,
    long resent,
    long received,
    long duplicates,
    long dropped,
    long pings,
    long misses) {
  public Metrics {
    closes = Map.copyOf(closes);
    byAttempt = List.copyOf(byAttempt);
  }

  /**
   * Outages by length.
   *
   * @param shorter under 5 s
   * @param medium up to 60 s
   * @param longer beyond
   */
  public record Outages(long shorter, long medium, long longer) {}

  /** Times in ms. */
  public record Summary(long count, long sum, long max) {}
}
