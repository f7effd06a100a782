package dev.holdfast.edge.egress;

import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;

/**
 * The partition counts that an edge starts with.
 *
 * @param events partitions of {@code holdfast.events}
 * @param deliveries partitions of {@code holdfast.deliveries}
 */
public record KafkaLayout(int events, int deliveries) {

  /**
   * Asks Kafka.
   *
   * @throws IllegalStateException with a sentence for the operator, when Kafka does not answer or a
   *     topic is missing
   */
  public static KafkaLayout resolve(
      String bootstrap, String edgeId, Map<String, String> overrides, Duration timeout) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            EgressSettings.consumer(bootstrap, "holdfast-layout-" + edgeId, overrides),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      return new KafkaLayout(
          count(consumer, Topics.EVENTS, timeout), count(consumer, Topics.DELIVERIES, timeout));
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "Kafka at " + bootstrap + " did not answer within " + timeout.toSeconds() + " s", e);
    } catch (KafkaException e) {
      throw new IllegalStateException(
          "Kafka at " + bootstrap + " cannot be used: " + e.getMessage(), e);
    }
  }

  /** The partition of {@code holdfast.deliveries} that is the edge's. */
  public int partitionOf(String edgeId) {
    byte[] key = edgeId.getBytes(StandardCharsets.UTF_8);
    return Utils.toPositive(Utils.murmur2(key)) % deliveries;
  }

  private static int count(KafkaConsumer<byte[], byte[]> consumer, Topics topic, Duration timeout) {
    List<PartitionInfo> partitions = consumer.partitionsFor(topic.topic(), timeout);
    if (partitions == null || partitions.isEmpty()) {
      throw new IllegalStateException(
          "topic " + topic.topic() + " is missing: run `holdfast topics init`");
    }
    return partitions.size();
  }
}
