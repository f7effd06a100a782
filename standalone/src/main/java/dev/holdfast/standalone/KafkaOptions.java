package dev.holdfast.standalone;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Option;

/** How a command reaches Kafka. */
final class KafkaOptions {
  /** How long commands wait for a broker that ought to be there. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  @Option(
      names = "--bootstrap",
      required = true,
      paramLabel = "HOST:PORT",
      description = "Kafka's address; several with commas between.")
  private String bootstrap = "";

  @Option(
      names = "--kafka",
      paramLabel = "KEY=VALUE",
      description =
          "A Kafka client property, like --kafka.security.protocol=SSL; wins over the defaults. Those"
              + " that promises rest on (acks, ...) are refused. Secrets are better set as variables:"
              + " [HOLDFAST_KAFKA_...], like HOLDFAST_KAFKA_SASL_JAAS_CONFIG for sasl.jaas.config.")
  private Map<String, String> kafka = new LinkedHashMap<>();

  private Map<String, String> environment = Map.of();

  void environment(Map<String, String> variables) {
    this.environment = variables;
  }

  /**
   * Kafka's address.
   *
   * @throws IllegalArgumentException unless it looks like one
   */
  String bootstrap() {
    List<String> addresses = new ArrayList<>(List.of(bootstrap.split(",")));
    addresses.removeIf(String::isBlank);
    if (addresses.isEmpty() || !addresses.stream().allMatch(KafkaOptions::isAddress)) {
      throw new IllegalArgumentException(
          "--bootstrap must be HOST:PORT, several with commas between, not '" + bootstrap + "'");
    }
    return bootstrap;
  }

  /** As Kafka's clients read it, who take a protocol in front and IPv6 in brackets. */
  private static boolean isAddress(String text) {
    String host = Utils.getHost(text.trim());
    Integer port = Utils.getPort(text.trim());
    return host != null && !host.isEmpty() && port != null && port > 0 && port <= 65_535;
  }

  /**
   * The client properties that were given.
   *
   * @throws IllegalArgumentException for one that cannot be set
   */
  Map<String, String> properties() {
    return ClientProperties.of(environment, kafka);
  }
}
