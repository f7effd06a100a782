package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.EdgeClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;

/**
 * A topic of one partition of which the broker's log cleaner removes what is overtaken: forty
 * values of {@code moves}, one of {@code ends} and then its tombstone, and a {@code filler} that
 * makes the log roll.
 */
final class CompactedTopic implements AutoCloseable {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int VALUES = 40;

  /** Everything but the newest segment is cleaned, and that is a new one soon. */
  private static final Map<String, String> CLEANED =
      Map.of(
          "cleanup.policy", "compact",
          "min.cleanable.dirty.ratio", "0.001",
          "min.compaction.lag.ms", "0",
          "delete.retention.ms", "0",
          "segment.ms", "100");

  private final Cluster cluster;
  private final String name;
  private final ChannelTopic topic;

  CompactedTopic(Cluster cluster, String name) throws Exception {
    this.cluster = cluster;
    this.name = name;
    this.topic = ChannelTopic.create(cluster.bootstrap(), name, 1, CLEANED);
    topic.send("ends", "\"was\"");
    for (int i = 0; i < VALUES; i++) {
      topic.sendOnly("moves", Integer.toString(i));
    }
    topic.flush();
    topic.send("ends", null);
  }

  /** Waits until both keys were compacted: {@code moves} to one record, {@code ends} to none. */
  void awaitCompacted() {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", cluster.bootstrap(), "enable.auto.commit", false),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(new TopicPartition(name, 0)));
      Awaitility.await()
          .atMost(SOON)
          .pollInterval(Duration.ofMillis(150))
          .untilAsserted(
              () -> {
                topic.send("filler", "0");
                assertThat(keys(consumer)).containsOnlyOnce("moves").doesNotContain("ends");
              });
    }
  }

  private List<String> keys(KafkaConsumer<byte[], byte[]> consumer) {
    TopicPartition partition = new TopicPartition(name, 0);
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    consumer.seek(partition, 0);
    List<String> keys = new ArrayList<>();
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
        keys.add(new String(record.key(), StandardCharsets.UTF_8));
      }
    }
    return keys;
  }

  /** Where a client stood that had the first value of a channel. */
  String positionOfFirst(String key) throws Exception {
    JsonNode page = ChannelIT.page("/v1/channels/" + name + ':' + key + "/history?limit=1");
    return page.path("events").path(0).path("position").asText();
  }

  /** A new value of {@code moves} is live. */
  void goesOn(EdgeClient client, int value) throws Exception {
    topic.send("moves", Integer.toString(value));
    assertThat(ChannelIT.event(client, name + ":moves").path("payload").asInt()).isEqualTo(value);
  }

  @Override
  public void close() {
    topic.close();
  }
}
