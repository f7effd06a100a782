package dev.holdfast.standalone;

import dev.holdfast.delivery.source.SourceSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;

/** Makes the topics of sources in {@code dev}, whose broker nobody can give them before. */
final class SourceTopics {
  private static final int PARTITIONS = 4;

  private SourceTopics() {}

  /** Those that exist stay as they are. */
  static void makeMissing(String bootstrap, List<SourceSpec> sources)
      throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      for (SourceSpec source : sources) {
        try {
          admin
              .createTopics(List.of(new NewTopic(source.topic(), PARTITIONS, (short) 1)))
              .all()
              .get();
        } catch (ExecutionException e) {
          if (!(e.getCause() instanceof TopicExistsException)) {
            throw e;
          }
        }
      }
    }
  }
}
