package dev.holdfast.edge.channel;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A producer, and what it knows of topics and since when. Thread-safe; none of it waits. */
final class TopicProducer {
  private final Producer<byte[], byte[]> producer;
  private final Metric age;

  TopicProducer(Map<String, Object> settings) {
    this.producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    this.age = ChannelSettings.metric(producer.metrics(), "metadata-age");
  }

  /**
   * Partitions of a topic; 0 when it does not know the topic. Then it asks for it in the
   * background.
   *
   * @throws KafkaException when it may not
   */
  int partitions(String topic) {
    try {
      return producer.partitionsFor(topic).size();
    } catch (TimeoutException e) {
      return 0;
    }
  }

  /** Whether it was told about its topics within the last {@code ms}. */
  boolean informed(long ms) {
    return age.metricValue() instanceof Double seconds && seconds * 1_000 <= ms;
  }

  void send(ProducerRecord<byte[], byte[]> record, Callback to) {
    var unused = producer.send(record, to);
  }

  void close(Duration timeout) {
    producer.close(timeout);
  }
}
