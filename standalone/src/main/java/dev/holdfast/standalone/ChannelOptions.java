package dev.holdfast.standalone;

import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespaces;
import dev.holdfast.edge.channel.EdgeChannels;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which topics are channels. */
final class ChannelOptions {
  /** What {@code holdfast dev} has where nothing is said. */
  static final List<String> DEV =
      List.of("rooms:publish=clients", "ticks:mode=latest:publish=backends");

  private static final long LEAST_MB = 1;
  private static final long MOST_MB = 65_536;

  @Option(
      names = "--channels-mb",
      paramLabel = "MB",
      description =
          "MiB of channels' newest records and values that an edge may keep in memory, "
              + LEAST_MB
              + " to "
              + MOST_MB
              + "; subscriptions of mode latest whose values do not fit end. Default: a quarter of"
              + " the heap.")
  private @Nullable Long megabytes;

  @Option(
      names = "--namespace",
      split = ",",
      paramLabel = "PREFIX[:SETTING...]",
      description = {
        "A topic whose keys are channels: PREFIX:KEY. May be repeated, or several with commas.",
        "Settings: topic=T (default: PREFIX), mode=stream|latest, format=json|text|base64,"
            + " publish=none|backends|clients, keys=murmur2|crc32 (how its writers hash keys),"
            + " private (readers need a token that names the channel)."
      })
  private List<String> namespace = new ArrayList<>();

  /**
   * Bytes that may be kept.
   *
   * @throws IllegalArgumentException naming the option, when it is out of range
   */
  long keptBytes() {
    if (megabytes == null) {
      return EdgeChannels.KEPT_BYTES;
    }
    OptionChecks.between("--channels-mb", LEAST_MB, MOST_MB, megabytes);
    return megabytes << 20;
  }

  /**
   * What was given.
   *
   * @param otherwise where nothing was
   * @throws IllegalArgumentException naming the option and what is wrong with it
   */
  Namespaces namespaces(List<String> otherwise) {
    List<Namespace> all = new ArrayList<>();
    for (String one : namespace.isEmpty() ? otherwise : namespace) {
      try {
        all.add(Namespace.parse(one.trim()));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("--namespace " + one + ": " + e.getMessage(), e);
      }
    }
    try {
      return new Namespaces(all);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--namespace: " + e.getMessage(), e);
    }
  }
}
