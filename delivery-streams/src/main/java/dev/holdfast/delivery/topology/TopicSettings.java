package dev.holdfast.delivery.topology;

import dev.holdfast.topic.Topics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;

/** Compares Holdfast's topics with what delivery relies on, and says what a difference costs. */
final class TopicSettings {
  private final Admin admin;
  private final int brokers;
  private final Retention retention;
  private final Findings findings;

  TopicSettings(Admin admin, int brokers, Retention retention, Findings findings) {
    this.admin = admin;
    this.brokers = brokers;
    this.retention = retention;
    this.findings = findings;
  }

  /** All topics must be there. */
  void check() throws ExecutionException, InterruptedException {
    List<String> names = Topics.all().stream().map(Topics::topic).toList();
    Map<String, TopicDescription> topics = admin.describeTopics(names).allTopicNames().get();
    Map<ConfigResource, KafkaFuture<Config>> configs =
        admin.describeConfigs(names.stream().map(TopicSettings::resource).toList()).values();
    for (Topics topic : Topics.all()) {
      TopicDescription description = topics.get(topic.topic());
      KafkaFuture<Config> answer = configs.get(resource(topic.topic()));
      if (description == null || answer == null) {
        throw new IllegalStateException("Kafka said nothing of " + topic.topic());
      }
      try {
        topic(topic, InternalTopics.replicas(description), answer.get());
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof AuthorizationException)) {
          throw e;
        }
        findings.has(
            false,
            topic.topic(),
            "settings that were not checked, since this user may not read them: allow it"
                + " DescribeConfigs on the topic, or see for yourself (docs/limits.md, Topics)");
      }
    }
  }

  private static ConfigResource resource(String topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  private void topic(Topics topic, int replicas, Config config) {
    topic.config().forEach((name, wanted) -> setting(topic, name, value(config, name), wanted));
    if (topic == Topics.EVENTS && !"-1".equals(value(config, "retention.bytes"))) {
      findings.has(
          false,
          topic.topic(),
          "retention.bytes="
              + value(config, "retention.bytes")
              + ": records may go before they are as old as retention.ms says, and before they are"
              + " read; set it to -1");
    }
    if ("true".equals(value(config, BrokerChecks.UNCLEAN))) {
      findings.has(false, topic.topic(), BrokerChecks.uncleanElection());
    }
    Copies.check(
        findings, topic.topic(), replicas, InternalTopics.minIsr(config), brokers, stops(topic));
    if (topic == Topics.EVENTS && replicas == 1 && brokers == 1) {
      findings.hasOnTrial(
          topic.topic(),
          "one replica, on the only broker: a lost disk loses messages. Fine for trying out;"
              + " otherwise run three brokers and give it 3 replicas (`holdfast kafka"
              + " reassign-partitions`; docs/operations.md, Topics)");
    }
  }

  private void setting(Topics topic, String name, @Nullable String found, String wanted) {
    if (topic == Topics.EVENTS && name.equals(Retention.SETTING) && found != null) {
      retention(Long.parseLong(found), Long.parseLong(wanted));
      return;
    }
    if (found == null || found.equals(wanted)) {
      return;
    }
    String cost =
        switch (name) {
          case "message.timestamp.type" -> "seqs would depend on more than the log";
          case "cleanup.policy" -> otherCleanup(topic);
          case Retention.SETTING -> isLess(found, wanted) ? shorter(topic) : null;
          case "max.message.bytes" -> isLess(found, wanted) ? smaller(topic) : null;
          default -> null; // costs nothing worth telling
        };
    if (cost != null) {
      boolean refusal =
          topic == Topics.EVENTS
              && (name.equals("cleanup.policy") || name.equals("message.timestamp.type"));
      findings.has(
          refusal, topic.topic(), name + "=" + found + ": " + cost + "; set it to " + wanted);
    }
  }

  /** The log must be kept as long as is usual, and as long as the rules in force need. */
  private void retention(long found, long usual) {
    long wanted = Math.max(usual, retention.neededMs());
    if (found >= 0 && found < wanted) {
      boolean rules = found < retention.neededMs();
      findings.has(
          false,
          Topics.EVENTS.topic(),
          Retention.SETTING
              + "="
              + found
              + ": "
              + shorter(Topics.EVENTS)
              + (rules
                  ? ", without what the rules' mailbox-age-ms and dedup-window-ms still promise"
                  : "")
              + "; set it with "
              + retention.command(wanted));
    }
  }

  private static String stops(Topics topic) {
    return switch (topic) {
      case EVENTS -> "edges accept no message";
      case DELIVERIES, PRESENCE, DEAD_LETTERS -> "streams cannot emit and stands still";
      case RULES -> "no rules can be set";
    };
  }

  private static String otherCleanup(Topics topic) {
    return switch (topic) {
      case EVENTS -> "seqs would depend on more than the log";
      case DELIVERIES -> "a user's older deliveries may go before an edge has read them";
      case PRESENCE -> "an edge that starts reads more, or no longer knows who is online";
      case DEAD_LETTERS -> "dead letters of one user replace each other, or stay for ever";
      case RULES -> "the rules may be gone, and then nothing starts";
    };
  }

  private static String shorter(Topics topic) {
    return switch (topic) {
      case EVENTS ->
          "an application that was away for longer finds a hole and does not start, and a new"
              + " replica must start sooner";
      case DELIVERIES -> "an edge that was away for longer closes its clients, which resume";
      case PRESENCE -> "who went offline longer ago is not known";
      case DEAD_LETTERS -> "dead letters go before they are as old as promised";
      case RULES -> "the rules may be gone, and then nothing starts";
    };
  }

  private static String smaller(Topics topic) {
    return topic == Topics.EVENTS
        ? "larger messages are refused to their senders"
        : "what comes of a large record may not fit, and stops its task again and again until this"
            + " is raised";
  }

  private static boolean isLess(String found, String wanted) {
    long number = Long.parseLong(found);
    return number >= 0 && number < Long.parseLong(wanted);
  }

  private static @Nullable String value(Config config, String name) {
    ConfigEntry entry = config.get(name);
    return entry == null ? null : entry.value();
  }
}
