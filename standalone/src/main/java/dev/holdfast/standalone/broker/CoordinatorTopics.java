package dev.holdfast.standalone.broker;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.internals.Topic;

/**
 * The topics in which the broker keeps groups and transactions. It makes them itself when the first
 * client needs one; where several come at once, as when everything starts in one process, it warns
 * for each but the first that it could not. So they are made before anybody comes, as it would.
 */
public final class CoordinatorTopics {
  private static final String SEGMENT_BYTES = String.valueOf(100 * 1024 * 1024);

  private CoordinatorTopics() {}

  /**
   * Makes those that are missing.
   *
   * @throws ExecutionException when the broker does not
   */
  public static void makeMissing(String bootstrap) throws ExecutionException, InterruptedException {
    Map<String, Object> settings = Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    try (Admin admin = Admin.create(settings)) {
      make(admin, Topic.GROUP_METADATA_TOPIC_NAME, "producer");
      make(admin, Topic.TRANSACTION_STATE_TOPIC_NAME, "uncompressed");
    }
  }

  private static void make(Admin admin, String name, String compression)
      throws ExecutionException, InterruptedException {
    Map<String, String> config =
        Map.of(
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_COMPACT,
            TopicConfig.COMPRESSION_TYPE_CONFIG,
            compression,
            TopicConfig.SEGMENT_BYTES_CONFIG,
            SEGMENT_BYTES);
    NewTopic topic = new NewTopic(name, BrokerSettings.COORDINATOR_PARTITIONS, (short) 1);
    try {
      admin.createTopics(List.of(topic.configs(config))).all().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }
}
