package dev.holdfast;

/**
 * What one edge node bounds (D12). Limits that decide a mailbox's content are not here: they are in
 * the log itself, see {@link dev.holdfast.record.Rules}. Overflow of each is a named outcome that
 * the client is told of; {@code docs/limits.md} lists them.
 *
 * @param frameBytes largest frame a client may send; beyond it the connection closes with 1009
 * @param payloadBytes largest {@code payload}, in bytes of JSON; beyond it {@code
 *     payload_too_large}
 * @param jsonDepth deepest nesting of a frame or payload
 * @param recipients most users in one {@code send}
 * @param queueBytes bytes queued for one connection before it closes with 4004 {@code
 *     slow_consumer}
 * @param nodeQueueBytes bytes queued for all connections of one edge; whose frame would exceed it
 *     closes with 4004
 * @param pendingFrames frames held between {@code hello} and {@code welcome} before reading stops
 * @param awaitingWelcome connections of one edge that may wait for their welcome; beyond: 503
 * @param ingressRecords records waiting for the producer; beyond: {@code overloaded}, retryable
 * @param ingressBytes bytes of those records; also what may be on its way to Kafka unacknowledged,
 *     shared out among the partitions of {@code holdfast.events}
 * @param maxConnections sockets one edge holds; beyond: 503
 * @param publishes requests {@code POST /v1/messages} under way at once; beyond: 503
 * @param bodyTimeoutMs milliseconds from a request's head to the end of its body; beyond, the
 *     connection is dropped
 * @param helloTimeoutMs milliseconds from the upgrade to {@code hello}; beyond: 4408
 * @param welcomeTimeoutMs milliseconds from {@code hello} to {@code welcome}; beyond: 1013
 * @param stalledMs milliseconds a full window may stay without an acknowledgement; beyond: 4004
 * @param heartbeatIntervalMs milliseconds between a client's heartbeats, told in {@code welcome}
 *     25–30 s)
 * @param heartbeatTimeoutMs milliseconds a client waits for its pong, told in {@code welcome}
 *     5–8 s)
 * @param idleTimeoutMs milliseconds without an application frame before 4003 (R-3.6: 2–3 periods)
 */
public record Limits(
    int frameBytes,
    int payloadBytes,
    int jsonDepth,
    int recipients,
    int queueBytes,
    long nodeQueueBytes,
    int pendingFrames,
    int awaitingWelcome,
    int ingressRecords,
    int ingressBytes,
    int maxConnections,
    int publishes,
    long bodyTimeoutMs,
    long helloTimeoutMs,
    long welcomeTimeoutMs,
    long stalledMs,
    long heartbeatIntervalMs,
    long heartbeatTimeoutMs,
    long idleTimeoutMs) {

  /** The defaults; {@code docs/limits.md} gives the reason for each. */
  public static final Limits DEFAULT =
      new Limits(
          96 * 1024,
          64 * 1024,
          256,
          100,
          2 * 1024 * 1024,
          256L * 1024 * 1024,
          64,
          4_000,
          16_384,
          32 * 1024 * 1024,
          19_000,
          1_000,
          10_000,
          10_000,
          30_000,
          30_000,
          25_000,
          8_000,
          75_000);

  /** The same with another number of sockets and another time for their hello. */
  public Limits withConnections(int most, long helloMs) {
    return with(most, helloMs, heartbeatIntervalMs, heartbeatTimeoutMs, idleTimeoutMs);
  }

  /**
   * The same with another heartbeat, in milliseconds.
   *
   * @throws IllegalArgumentException when the time-out is not within the interval, or an idle
   *     connection would be closed before its second heartbeat
   */
  public Limits withHeartbeat(long intervalMs, long timeoutMs, long idleMs) {
    if (timeoutMs < 1 || timeoutMs > intervalMs || idleMs < 2 * intervalMs) {
      throw new IllegalArgumentException(
          "a heartbeat needs a time-out within its interval and at least two intervals until idle;"
              + " given "
              + intervalMs
              + ", "
              + timeoutMs
              + " and "
              + idleMs);
    }
    return with(maxConnections, helloTimeoutMs, intervalMs, timeoutMs, idleMs);
  }

  private Limits with(int most, long helloMs, long intervalMs, long timeoutMs, long idleMs) {
    return new Limits(
        frameBytes,
        payloadBytes,
        jsonDepth,
        recipients,
        queueBytes,
        nodeQueueBytes,
        pendingFrames,
        awaitingWelcome,
        ingressRecords,
        ingressBytes,
        most,
        publishes,
        bodyTimeoutMs,
        helloMs,
        welcomeTimeoutMs,
        stalledMs,
        intervalMs,
        timeoutMs,
        idleMs);
  }
}
