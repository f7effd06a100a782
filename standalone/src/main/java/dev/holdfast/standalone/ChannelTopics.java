package dev.holdfast.standalone;

import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.channel.Namespaces;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Makes the topics of namespaces where they are missing; one that is there is left as it is. */
final class ChannelTopics {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long LOOK_MS = 20;

  private ChannelTopics() {}

  /**
   * @param kafka further Kafka client properties
   * @throws ExecutionException when Kafka does not make them
   */
  static void create(
      String bootstrap,
      Map<String, String> kafka,
      Namespaces namespaces,
      int partitions,
      int replication)
      throws ExecutionException, InterruptedException {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    try (Admin admin = Admin.create(settings)) {
      Set<String> existing = admin.listTopics().names().get();
      List<NewTopic> missing = new ArrayList<>();
      for (Namespace one : namespaces.all()) {
        if (!existing.contains(one.topic())) {
          String policy =
              one.mode() == Mode.LATEST
                  ? TopicConfig.CLEANUP_POLICY_COMPACT
                  : TopicConfig.CLEANUP_POLICY_DELETE;
          missing.add(
              new NewTopic(one.topic(), partitions, (short) replication)
                  .configs(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, policy)));
        }
      }
      admin.createTopics(missing).all().get();
      awaitKnown(admin, missing.stream().map(NewTopic::name).toList());
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  /** A broker may hear of a topic a moment after it was made; who looks meanwhile finds none. */
  private static void awaitKnown(Admin admin, List<String> topics)
      throws ExecutionException, InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < until) {
      try {
        var unused = admin.describeTopics(topics).allTopicNames().get();
        return;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
          throw e;
        }
        Thread.sleep(LOOK_MS);
      }
    }
  }
}
