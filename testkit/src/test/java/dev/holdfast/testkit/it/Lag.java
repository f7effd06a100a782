package dev.holdfast.testkit.it;

import dev.holdfast.topic.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;

/** How far the streams applications are behind the log, by Kafka's own count. */
final class Lag implements AutoCloseable {
  private final Admin admin;

  Lag(String bootstrap) {
    this.admin = Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap));
  }

  /** Waits until each of the applications is less than {@code records} behind. */
  void awaitBelow(long records, String... groups) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(90))
        .pollInterval(Duration.ofMillis(250))
        .until(
            () -> {
              for (String group : groups) {
                if (of(group) >= records) {
                  return false;
                }
              }
              return true;
            });
  }

  /** Records of the log that {@code group} has not committed. */
  long of(String group) throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    for (TopicDescription events :
        admin.describeTopics(List.of(Topics.EVENTS.topic())).allTopicNames().get().values()) {
      events
          .partitions()
          .forEach(
              p ->
                  wanted.put(
                      new TopicPartition(events.name(), p.partition()), OffsetSpec.latest()));
    }
    Map<TopicPartition, OffsetAndMetadata> committed =
        admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    long lag = 0;
    for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end :
        admin.listOffsets(wanted).all().get().entrySet()) {
      OffsetAndMetadata done = committed.get(end.getKey());
      lag += end.getValue().offset() - (done == null ? 0 : done.offset());
    }
    return lag;
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }
}
