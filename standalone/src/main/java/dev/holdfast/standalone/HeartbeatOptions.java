package dev.holdfast.standalone;

import dev.holdfast.Limits;
import picocli.CommandLine.Option;

/** How often clients and edge show each other that they live. */
final class HeartbeatOptions {
  private static final long LEAST_MS = 1_000;
  private static final long MOST_MS = 300_000;

  /** How many intervals without an application frame end a connection (R-3.6: 2–3). */
  private static final int IDLE_INTERVALS = 3;

  @Option(
      names = "--heartbeat-ms",
      defaultValue = "25000",
      paramLabel = "MS",
      description =
          "Milliseconds between heartbeats, "
              + LEAST_MS
              + " to "
              + MOST_MS
              + ", told to clients. Their answers may take a third of it, at most 8 s; three without"
              + " a frame from the client end its connection. Behind a proxy, keep its read time-out"
              + " above three. Default: ${DEFAULT-VALUE}.")
  private long heartbeatMs;

  /**
   * {@code limits} with this heartbeat.
   *
   * @throws IllegalArgumentException naming the option, when it is out of range
   */
  Limits applyTo(Limits limits) {
    OptionChecks.between("--heartbeat-ms", LEAST_MS, MOST_MS, heartbeatMs);
    long timeoutMs = Math.min(heartbeatMs / 3, limits.heartbeatTimeoutMs());
    return limits.withHeartbeat(heartbeatMs, timeoutMs, IDLE_INTERVALS * heartbeatMs);
  }
}
