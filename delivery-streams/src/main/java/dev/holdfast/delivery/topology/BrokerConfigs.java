package dev.holdfast.delivery.topology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * The settings of each broker of the cluster, as the broker itself tells them: those of a broker's
 * own configuration file no other broker knows.
 */
final class BrokerConfigs {
  /** For a broker that has just died; the others have answered long before. */
  private static final int PATIENCE_MS = 10_000;

  private final SortedMap<Integer, Config> configs = new TreeMap<>();

  private BrokerConfigs() {}

  /**
   * Asks the brokers. One that does not answer, or does not allow the question, is left out and
   * becomes a finding that names the settings.
   */
  static BrokerConfigs ask(
      Admin admin, Collection<Node> brokers, List<String> settings, Findings findings)
      throws ExecutionException, InterruptedException {
    List<ConfigResource> resources =
        brokers.stream()
            .map(b -> new ConfigResource(ConfigResource.Type.BROKER, b.idString()))
            .toList();
    Map<ConfigResource, KafkaFuture<Config>> answers =
        admin
            .describeConfigs(resources, new DescribeConfigsOptions().timeoutMs(PATIENCE_MS))
            .values();
    BrokerConfigs found = new BrokerConfigs();
    for (Map.Entry<ConfigResource, KafkaFuture<Config>> answer : answers.entrySet()) {
      String id = answer.getKey().name();
      try {
        found.configs.put(Integer.valueOf(id), answer.getValue().get());
      } catch (ExecutionException e) {
        findings.add(false, notChecked(id, e, settings));
      }
    }
    return found;
  }

  private static String notChecked(String id, ExecutionException e, List<String> settings)
      throws ExecutionException {
    String names = String.join(", ", settings);
    Throwable cause = e.getCause();
    if (cause instanceof AuthorizationException) {
      // The same for each broker, so that the finding is there once.
      return "the brokers' settings were not checked, since this user may not read them: allow it"
          + " DescribeConfigs on the cluster, or see for yourself (docs/operations.md, Topics): "
          + names;
    }
    if (cause instanceof TimeoutException || cause instanceof DisconnectException) {
      return "the settings of broker "
          + id
          + " were not checked, since it did not answer: run `holdfast topics check` when it is"
          + " back: "
          + names;
    }
    throw e;
  }

  /** Calls {@code what} with each broker, by name, that has the setting, and its value. */
  void forEach(String setting, BiConsumer<String, String> what) {
    configs.forEach(
        (id, config) -> {
          ConfigEntry entry = config.get(setting);
          if (entry != null && entry.value() != null) {
            what.accept("broker " + id, entry.value());
          }
        });
  }

  /** The largest value that a broker has; {@code otherwise} when none tells. */
  int most(String setting, int otherwise) {
    List<Integer> values = new ArrayList<>();
    forEach(setting, (broker, value) -> values.add(Integer.valueOf(value)));
    return values.stream().mapToInt(v -> v).max().orElse(otherwise);
  }

  /** The smallest; {@code otherwise} when none tells. */
  int least(String setting, int otherwise) {
    List<Integer> values = new ArrayList<>();
    forEach(setting, (broker, value) -> values.add(Integer.valueOf(value)));
    return values.stream().mapToInt(v -> v).min().orElse(otherwise);
  }

  /** Names the brokers that differ. */
  void disagreements(List<String> settings, Findings findings) {
    for (String setting : settings) {
      SortedMap<String, List<String>> byValue = new TreeMap<>();
      forEach(
          setting,
          (broker, value) -> byValue.computeIfAbsent(value, v -> new ArrayList<>()).add(broker));
      if (byValue.size() > 1) {
        findings.add(
            false,
            "brokers differ in "
                + setting
                + ": "
                + byValue.entrySet().stream()
                    .map(e -> e.getKey() + " on " + String.join(", ", e.getValue()))
                    .collect(Collectors.joining("; "))
                + ". Which one counts changes whenever leaders move; make them the same");
      }
    }
  }
}
