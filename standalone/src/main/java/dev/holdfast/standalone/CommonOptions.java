package dev.holdfast.standalone;

import picocli.CommandLine.Option;

/** What every command knows. */
final class CommonOptions {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version and exit.")
  boolean version;

  @Option(names = "--verbose", description = "Show stack traces of errors.")
  boolean verbose;

  @Option(
      names = "--log-format",
      defaultValue = "text",
      paramLabel = "text|json",
      description = "How log lines look; see docs/operations.md. Default: ${DEFAULT-VALUE}.")
  LogFormat logFormat = LogFormat.text;
}
