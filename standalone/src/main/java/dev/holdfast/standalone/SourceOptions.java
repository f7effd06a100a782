package dev.holdfast.standalone;

import dev.holdfast.delivery.source.SourceSpec;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Topics of the user's whose records become messages. */
final class SourceOptions {
  @Option(
      names = "--source",
      split = ",",
      paramLabel = "TOPIC[:from=NAME][:format=F][:start=S]",
      description =
          "A topic whose records become messages: key = user. from: the sender (default: the"
              + " topic's name); format: json, text or base64 (default: json); start: where it"
              + " begins at the first time, latest, earliest or a time (default: latest)."
              + " Repeatable, or several with commas between.")
  private List<String> sources = new ArrayList<>();

  /**
   * What was given.
   *
   * @throws IllegalArgumentException for what is no source
   */
  List<SourceSpec> specs() {
    return SourceSpec.parseAll(sources);
  }
}
