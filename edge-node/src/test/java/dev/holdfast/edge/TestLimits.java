package dev.holdfast.edge;

import dev.holdfast.Limits;

/** The defaults with some of them smaller. */
public final class TestLimits {
  private static final long HELLO_MS = Limits.DEFAULT.helloTimeoutMs();

  private TestLimits() {}

  /** With less room for all queues together. */
  public static Limits nodeQueueBytes(long bytes) {
    return of(
        bytes, Limits.DEFAULT.ingressBytes(), 1_000, Limits.DEFAULT.bodyTimeoutMs(), HELLO_MS);
  }

  /** With less room towards Kafka. */
  public static Limits ingressBytes(int bytes) {
    return of(
        Limits.DEFAULT.nodeQueueBytes(), bytes, 1_000, Limits.DEFAULT.bodyTimeoutMs(), HELLO_MS);
  }

  /** With fewer publishes at once and less time for their bodies. */
  public static Limits http(int publishes, long bodyTimeoutMs) {
    Limits d = Limits.DEFAULT;
    return of(d.nodeQueueBytes(), d.ingressBytes(), publishes, bodyTimeoutMs, HELLO_MS);
  }

  /** With short time-outs for whoever does not do what he began, and heartbeats of a second. */
  public static Limits impatient() {
    Limits d = Limits.DEFAULT;
    return of(d.nodeQueueBytes(), d.ingressBytes(), 1_000, 500, 500)
        .withHeartbeat(1_000, 500, 3_000);
  }

  private static Limits of(
      long nodeQueueBytes,
      int ingressBytes,
      int publishes,
      long bodyTimeoutMs,
      long helloTimeoutMs) {
    Limits d = Limits.DEFAULT;
    return new Limits(
        d.frameBytes(),
        d.payloadBytes(),
        d.jsonDepth(),
        d.recipients(),
        d.queueBytes(),
        nodeQueueBytes,
        d.pendingFrames(),
        d.awaitingWelcome(),
        d.ingressRecords(),
        ingressBytes,
        d.maxConnections(),
        publishes,
        bodyTimeoutMs,
        helloTimeoutMs,
        d.welcomeTimeoutMs(),
        d.stalledMs(),
        d.heartbeatIntervalMs(),
        d.heartbeatTimeoutMs(),
        d.idleTimeoutMs());
  }
}
