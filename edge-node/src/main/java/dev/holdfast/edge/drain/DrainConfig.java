package dev.holdfast.edge.drain;

/**
 * How an edge ends, and where it can be told to.
 *
 * @param seconds over which connections are closed, 0–3600; 0: all at once
 * @param adminHost address of the admin port
 * @param adminPort port of {@code POST /admin/drain}; 0 picks a free one, below 0: none
 */
public record DrainConfig(int seconds, String adminHost, int adminPort) {
  /** Longest drain; also no orchestrator waits longer. */
  public static final int MOST_SECONDS = 3_600;

  /** What an edge does unless it is told otherwise. */
  public static final DrainConfig DEFAULT = new DrainConfig(20, "127.0.0.1", -1);

  /** All connections at once, no admin port. */
  public static final DrainConfig AT_ONCE = new DrainConfig(0, "127.0.0.1", -1);

  public DrainConfig {
    if (seconds < 0 || seconds > MOST_SECONDS) {
      throw new IllegalArgumentException(
          "--drain-seconds must be 0 to " + MOST_SECONDS + ", not " + seconds);
    }
    if (adminPort > 65_535) {
      throw new IllegalArgumentException(
          "--admin-port must be 0 to 65535, or below 0 for none, not " + adminPort);
    }
  }
}
