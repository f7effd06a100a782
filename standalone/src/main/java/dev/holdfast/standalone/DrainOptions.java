package dev.holdfast.standalone;

import dev.holdfast.edge.drain.DrainConfig;
import picocli.CommandLine.Option;

/** How an edge ends, and where it can be told to. */
final class DrainOptions {
  @Option(
      names = "--drain-seconds",
      defaultValue = "20",
      paramLabel = "N",
      description =
          "Seconds over which connections are closed (4001) at the end, spread evenly; 0: all at"
              + " once. Whatever stops the process must wait 10 s longer. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--admin-port",
      defaultValue = "-1",
      paramLabel = "PORT",
      description =
          "Port of POST /admin/drain, without authentication; 0 picks a free one, below 0: none."
              + " Default: none.")
  private int adminPort;

  @Option(
      names = "--admin-host",
      defaultValue = "127.0.0.1",
      description = "Address of that port. Default: ${DEFAULT-VALUE}.")
  private String adminHost = "";

  /**
   * What was given.
   *
   * @throws IllegalArgumentException naming the option that is out of its range
   */
  DrainConfig config() {
    return new DrainConfig(seconds, adminHost, adminPort);
  }
}
