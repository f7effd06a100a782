package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.DeliveryConfig;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The topics that Kafka makes for itself and for Streams, without which nothing commits. As long as
 * one is not there, the brokers' settings say what it will be.
 */
final class InternalTopics {
  /** The settings of brokers that such topics are made by. */
  static final List<String> SETTINGS =
      List.of(
          "transaction.state.log.replication.factor",
          "transaction.state.log.min.isr",
          "offsets.topic.replication.factor",
          "default.replication.factor",
          "min.insync.replicas");

  private final Admin admin;
  private final BrokerConfigs configs;
  private final int brokers;
  private final Findings findings;

  InternalTopics(Admin admin, BrokerConfigs configs, int brokers, Findings findings) {
    this.admin = admin;
    this.configs = configs;
    this.brokers = brokers;
    this.findings = findings;
  }

  /**
   * @param changelogCopies what streams asks for; -1 leaves it to the broker
   */
  void check(int changelogCopies) throws ExecutionException, InterruptedException {
    kafkas(
        "__transaction_state",
        SETTINGS.get(0),
        SETTINGS.get(1),
        "streams commits nothing and stands still");
    kafkas(
        "__consumer_offsets",
        SETTINGS.get(2),
        SETTINGS.get(4),
        "streams instances find no group and stand still");
    boolean made = false;
    for (String replica : List.of("a", "b")) {
      String changelog = DeliveryTopology.changelog(DeliveryConfig.applicationId(replica));
      made |= existing(changelog, "streams cannot keep its state and stands still");
    }
    if (!made) {
      changelogToBe(changelogCopies);
    }
  }

  private void kafkas(String topic, String copies, String minIsr, String stops)
      throws ExecutionException, InterruptedException {
    if (existing(topic, stops)) {
      return;
    }
    int wanted = configs.most(copies, 1);
    if (wanted > brokers) {
      findings.add(
          true,
          "Kafka makes "
              + topic
              + " only where as many brokers run as "
              + copies
              + "="
              + wanted
              + " says, and there "
              + (brokers == 1 ? "is 1" : "are " + brokers)
              + ": until then "
              + stops
              + "; start more brokers, or set "
              + copies
              + " to "
              + brokers
              + " (and "
              + minIsr
              + " to at most that)");
      return;
    }
    toBe(topic, copies, configs.least(copies, 1), minIsr, configs.most(minIsr, 1), stops);
  }

  private void changelogToBe(int asked) {
    String copies = asked < 0 ? "default.replication.factor" : "--kafka.replication.factor";
    int replicas = asked < 0 ? configs.least("default.replication.factor", 1) : asked;
    toBe(
        "the changelog that streams makes",
        copies,
        replicas,
        "min.insync.replicas",
        configs.most("min.insync.replicas", 1),
        "streams cannot keep its state and stands still");
  }

  /** A topic that is not there yet. */
  private void toBe(
      String topic, String copies, int replicas, String minIsr, int least, String stops) {
    String will = topic + " will have " + copies + "=" + replicas;
    if (least > replicas) {
      findings.add(
          true,
          will
              + " but "
              + minIsr
              + "="
              + least
              + ": nothing could be written to it, so "
              + stops
              + "; set "
              + copies
              + " to "
              + (least + 1)
              + ", or "
              + minIsr
              + " to "
              + Math.max(1, replicas - 1));
    } else if (replicas == 1 && brokers > 1) {
      findings.add(
          false,
          will
              + ": a lost disk loses it, and while its broker is away "
              + stops
              + "; set "
              + copies
              + " to 3 before the first start");
    }
  }

  /** Whether the topic is there; if it is, its copies are checked. */
  private boolean existing(String topic, String stops)
      throws ExecutionException, InterruptedException {
    try {
      ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
      for (TopicDescription found :
          admin.describeTopics(List.of(topic)).allTopicNames().get().values()) {
        for (Config config : admin.describeConfigs(List.of(resource)).all().get().values()) {
          Copies.check(findings, topic, replicas(found), minIsr(config), brokers, stops);
        }
      }
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      if (e.getCause() instanceof AuthorizationException) {
        findings.has(
            false,
            topic,
            "not been checked, since this user may not describe it: allow it Describe and"
                + " DescribeConfigs on the topic, or see for yourself (docs/operations.md, Topics)");
        return true;
      }
      throw e;
    }
  }

  /** The fewest copies that a partition has. */
  static int replicas(TopicDescription topic) {
    return topic.partitions().stream().mapToInt(p -> p.replicas().size()).min().orElse(0);
  }

  /** {@code min.insync.replicas} of a topic. */
  static int minIsr(Config config) {
    @Nullable ConfigEntry entry = config.get("min.insync.replicas");
    return entry == null ? 1 : Integer.parseInt(entry.value());
  }
}
