package dev.holdfast.delivery.topology;

import dev.holdfast.topic.Topics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;

/** Compares topics and brokers with what delivery relies on, and says what a difference costs. */
final class TopicSettings {
  private final Admin admin;

  TopicSettings(Admin admin) {
    this.admin = admin;
  }

  void check(List<TopicsAdmin.Finding> findings) throws ExecutionException, InterruptedException {
    List<String> names = Topics.all().stream().map(Topics::topic).toList();
    Map<String, TopicDescription> topics = admin.describeTopics(names).allTopicNames().get();
    Map<ConfigResource, Config> configs = admin.describeConfigs(resources(topics)).all().get();
    for (Topics topic : Topics.all()) {
      TopicDescription description = topics.get(topic.topic());
      Config config = configs.get(new ConfigResource(ConfigResource.Type.TOPIC, topic.topic()));
      if (description != null && config != null) {
        topic(topic, description, config, findings);
      }
    }
    for (Map.Entry<ConfigResource, Config> e : configs.entrySet()) {
      if (e.getKey().type() == ConfigResource.Type.BROKER) {
        broker(e.getKey().name(), e.getValue(), findings);
      }
    }
  }

  /** The topics, and one broker: the same settings are expected of all. */
  private static List<ConfigResource> resources(Map<String, TopicDescription> topics) {
    Map<ConfigResource, Boolean> wanted = new HashMap<>();
    topics.keySet().forEach(t -> wanted.put(resource(ConfigResource.Type.TOPIC, t), true));
    topics.values().stream()
        .flatMap(t -> t.partitions().stream())
        .filter(p -> p.leader() != null)
        .findFirst()
        .ifPresent(
            p -> wanted.put(resource(ConfigResource.Type.BROKER, p.leader().idString()), true));
    return List.copyOf(wanted.keySet());
  }

  private static ConfigResource resource(ConfigResource.Type type, String name) {
    return new ConfigResource(type, name);
  }

  private static void topic(
      Topics topic, TopicDescription d, Config config, List<TopicsAdmin.Finding> findings) {
    topic
        .config()
        .forEach(
            (name, wanted) -> {
              String found = value(config, name);
              if (found == null || found.equals(wanted)) {
                return;
              }
              boolean refusal =
                  topic == Topics.EVENTS
                      && (name.equals("cleanup.policy") || name.equals("message.timestamp.type"));
              boolean smaller = !refusal && isNumber(found) && smaller(found, wanted);
              if (refusal || smaller || name.equals("cleanup.policy")) {
                findings.add(
                    new TopicsAdmin.Finding(
                        refusal,
                        topic.topic()
                            + " has "
                            + name
                            + "="
                            + found
                            + ", expected "
                            + wanted
                            + (refusal ? ": seqs would depend on more than the log" : "")));
              }
            });
    if (topic == Topics.EVENTS && !"-1".equals(value(config, "retention.bytes"))) {
      findings.add(
          new TopicsAdmin.Finding(
              false,
              topic.topic()
                  + " has retention.bytes: records may go before they are as old as"
                  + " retention.ms says, and before they are read"));
    }
    if ("true".equals(value(config, "unclean.leader.election.enable"))) {
      findings.add(
          new TopicsAdmin.Finding(
              false,
              topic.topic()
                  + " has unclean.leader.election.enable=true: what was acknowledged may"
                  + " be lost when brokers die"));
    }
    int replicas = d.partitions().get(0).replicas().size();
    String minIsr = value(config, "min.insync.replicas");
    if (replicas > 1 && "1".equals(minIsr)) {
      findings.add(
          new TopicsAdmin.Finding(
              false,
              topic.topic()
                  + " has "
                  + replicas
                  + " replicas but min.insync.replicas=1: what is"
                  + " acknowledged may be on one disk only; set it to 2"));
    } else if (replicas == 1 && topic == Topics.EVENTS) {
      findings.add(
          new TopicsAdmin.Finding(
              false,
              topic.topic()
                  + " has one replica: a lost disk loses messages. Fine for trying out;"
                  + " use --replication 3 otherwise"));
    }
  }

  private static boolean isNumber(String text) {
    return text.matches("-?\\d+");
  }

  private static boolean smaller(String found, String wanted) {
    long number = Long.parseLong(found);
    return number >= 0 && number < Long.parseLong(wanted);
  }

  private static void broker(String id, Config config, List<TopicsAdmin.Finding> findings) {
    costs(
        findings,
        id,
        config,
        "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        1_000,
        "after an unclean death the successor waits up to that much longer");
    costs(
        findings,
        id,
        config,
        "group.min.session.timeout.ms",
        6_000,
        "a dead streams instance is noticed that late");
  }

  private static void costs(
      List<TopicsAdmin.Finding> findings,
      String id,
      Config config,
      String name,
      long atMost,
      String cost) {
    String found = value(config, name);
    if (found != null && isNumber(found) && Long.parseLong(found) > atMost) {
      findings.add(
          new TopicsAdmin.Finding(
              false, "broker " + id + " has " + name + "=" + found + ": " + cost));
    }
  }

  private static @Nullable String value(Config config, String name) {
    ConfigEntry entry = config.get(name);
    return entry == null ? null : entry.value();
  }
}
