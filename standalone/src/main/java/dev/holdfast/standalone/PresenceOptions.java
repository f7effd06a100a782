package dev.holdfast.standalone;

import dev.holdfast.edge.presence.PresenceConfig;
import picocli.CommandLine.Option;

/** How much an edge keeps of who is online. */
final class PresenceOptions {
  private static final long LEAST_MB = 1;
  private static final long MOST_MB = 65_536;
  private static final long MOST_WATCHES = 100_000_000;

  @Option(
      names = "--presence-mb",
      defaultValue = "128",
      paramLabel = "MB",
      description =
          "MiB of presence records that the edge may keep in memory, "
              + LEAST_MB
              + " to "
              + MOST_MB
              + "; what does not fit is not told. A user takes about a quarter of a KiB."
              + " Default: ${DEFAULT-VALUE}.")
  private long megabytes;

  @Option(
      names = "--presence-watches",
      defaultValue = "500000",
      paramLabel = "N",
      description =
          "How many users all connections of the edge together may watch, one watched by several"
              + " counted as often; 0: presence is not told to clients. Default: ${DEFAULT-VALUE}.")
  private long watches;

  /**
   * What is asked for.
   *
   * @throws IllegalArgumentException naming the option, when it is out of range
   */
  PresenceConfig config() {
    OptionChecks.between("--presence-mb", LEAST_MB, MOST_MB, megabytes);
    OptionChecks.between("--presence-watches", 0, MOST_WATCHES, watches);
    return PresenceConfig.DEFAULT.with(Math.toIntExact(watches), megabytes << 20);
  }
}
