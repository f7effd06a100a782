package dev.holdfast.standalone;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** How a command reaches Kafka. */
final class KafkaOptions {
  @Option(
      names = "--bootstrap",
      required = true,
      paramLabel = "HOST:PORT",
      description = "Kafka's address; several with commas between.")
  String bootstrap = "";

  @Option(
      names = "--kafka",
      paramLabel = "KEY=VALUE",
      description =
          "A Kafka client property, like --kafka.security.protocol=SSL; wins over the defaults.")
  Map<String, String> kafka = new LinkedHashMap<>();
}
