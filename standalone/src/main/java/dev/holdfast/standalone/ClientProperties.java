package dev.holdfast.standalone;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.streams.StreamsConfig;

/**
 * Kafka client properties that an operator adds: {@code --kafka.sasl.mechanism=PLAIN}, or {@code
 * HOLDFAST_KAFKA_SASL_MECHANISM}, which keeps secrets off the command line. Those that would switch
 * a promise off are refused by name; values are never printed.
 */
final class ClientProperties {
  /** No other option's variable may begin like this. */
  static final String VARIABLE_PREFIX = "HOLDFAST_KAFKA_";

  private static final String BYTES = "Holdfast writes and reads its records as bytes, itself";

  /** Kafka Streams takes a client's property also behind the client's name. */
  private static final List<String> CLIENT_PREFIXES =
      List.of("main.consumer.", "restore.consumer.", "global.consumer.", "consumer.", "producer.");

  /** What cannot be set, and why. */
  static final Map<String, String> FIXED =
      Map.ofEntries(
          Map.entry("bootstrap.servers", "--bootstrap says where Kafka is"),
          Map.entry("acks", "a message is accepted only once all in-sync replicas have it"),
          Map.entry("enable.idempotence", "a retry must neither repeat nor reorder records"),
          Map.entry(
              "max.in.flight.requests.per.connection",
              "a record that is tried again must not be overtaken"),
          Map.entry(
              "delivery.timeout.ms",
              "a record that expired in the producer would be overtaken by later ones"),
          Map.entry(
              "max.block.ms",
              "a commit waits as long as a broker is away; Kafka Streams loses state when it gives"
                  + " one up"),
          Map.entry(
              "transactional.id",
              "only Kafka Streams uses transactions, and names them itself; an open one would hold"
                  + " up the log"),
          Map.entry(
              StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG,
              "a write that fails ends the instance; going on without it would lose a delivery"),
          Map.entry(
              StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
              "with anything but exactly_once_v2 a number could be given to two messages"),
          Map.entry(
              StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG,
              "a crash would throw all local state away"),
          Map.entry(
              StreamsConfig.APPLICATION_ID_CONFIG,
              "--replica names the application; one by another name would number messages anew"),
          Map.entry(StreamsConfig.STATE_DIR_CONFIG, "--data says where the state lies"),
          Map.entry("auto.offset.reset", "a hole in the log must be noticed, not skipped"),
          Map.entry(
              "isolation.level",
              "each reader has the one that suits it: the log is read committed, deliveries are"
                  + " passed on before the commit"),
          Map.entry("group.id", "--replica names the group; edges have none"),
          Map.entry("enable.auto.commit", "positions are committed together with the state"),
          Map.entry("key.serializer", BYTES),
          Map.entry("value.serializer", BYTES),
          Map.entry("key.deserializer", BYTES),
          Map.entry("value.deserializer", BYTES));

  private ClientProperties() {}

  /**
   * What was given in either way; the command line wins.
   *
   * @throws IllegalArgumentException for a property that cannot be set
   */
  static Map<String, String> of(Map<String, String> environment, Map<String, String> commandLine) {
    Map<String, String> properties = new LinkedHashMap<>();
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(VARIABLE_PREFIX) && !value.isEmpty()) {
            properties.put(key(name), value);
          }
        });
    properties.keySet().forEach(key -> check(key, ClientProperties::variable));
    commandLine.keySet().forEach(key -> check(key, "--kafka."::concat));
    properties.putAll(commandLine);
    return properties;
  }

  private static String key(String variable) {
    return variable.substring(VARIABLE_PREFIX.length()).replace('_', '.').toLowerCase(Locale.ROOT);
  }

  private static String variable(String key) {
    return VARIABLE_PREFIX + key.replace('.', '_').toUpperCase(Locale.ROOT);
  }

  private static void check(String key, Function<String, String> asGiven) {
    String why = FIXED.get(bare(key));
    if (why != null) {
      throw new IllegalArgumentException(asGiven.apply(key) + " cannot be set: " + why);
    }
  }

  private static String bare(String key) {
    return CLIENT_PREFIXES.stream()
        .filter(key::startsWith)
        .findFirst()
        .map(prefix -> key.substring(prefix.length()))
        .orElse(key);
  }
}
