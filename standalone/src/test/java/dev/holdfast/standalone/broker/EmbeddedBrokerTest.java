package dev.holdfast.standalone.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 90, unit = TimeUnit.SECONDS)
class EmbeddedBrokerTest {
  private static final String HOST = "127.0.0.1";

  @TempDir private Path dir = Path.of("");

  @Test
  void keepsItsLogOverARestartOnAnotherPort() throws Exception {
    String cluster;
    try (EmbeddedBroker broker = new EmbeddedBroker(dir, HOST, 0, Map.of())) {
      broker.start();
      cluster = clusterId(broker);
      createTopic(broker);
      produce(broker, "one");
      assertThat(consume(broker, 1)).containsExactly("one");
    }
    try (EmbeddedBroker broker = new EmbeddedBroker(dir, HOST, 0, Map.of())) {
      broker.start();
      produce(broker, "two");

      assertThat(clusterId(broker)).isEqualTo(cluster);
      assertThat(consume(broker, 2)).containsExactly("one", "two");
      assertThat(broker.fatal()).isNotDone();
    }
  }

  @Test
  void saysThatThePortIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        EmbeddedBroker broker = new EmbeddedBroker(dir, HOST, taken.getLocalPort(), Map.of())) {
      assertThatThrownBy(broker::start)
          .isInstanceOf(BrokerFailed.class)
          .hasMessageContaining("port " + taken.getLocalPort())
          .hasMessageContaining("is taken");
    }
  }

  @Test
  void saysThatTheDirectoryIsInUse() {
    try (DataLock held = DataLock.take(dir, "holdfast broker");
        EmbeddedBroker broker = new EmbeddedBroker(dir, HOST, 0, Map.of())) {
      assertThat(held).isNotNull();
      assertThatThrownBy(broker::start)
          .isInstanceOf(BrokerFailed.class)
          .hasMessageContaining("another holdfast broker runs on " + dir);
    }
  }

  @Test
  void aSettingThatKafkaRefusesIsAReasonNotAnExit() {
    Map<String, String> wrong = Map.of("log.retention.hours", "soon");
    try (EmbeddedBroker broker = new EmbeddedBroker(dir, HOST, 0, wrong)) {
      assertThatThrownBy(broker::start)
          .isInstanceOf(BrokerFailed.class)
          .hasMessageContaining("log.retention.hours");
    }
  }

  private static String clusterId(EmbeddedBroker broker) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      return admin.describeCluster().clusterId().get();
    }
  }

  private static void createTopic(EmbeddedBroker broker) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      admin.createTopics(List.of(new NewTopic("t", 1, (short) 1))).all().get();
    }
  }

  private static void produce(EmbeddedBroker broker, String value) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrap(), "acks", "all"),
            new StringSerializer(),
            new StringSerializer())) {
      producer.send(new ProducerRecord<>("t", value)).get();
    }
  }

  private static List<String> consume(EmbeddedBroker broker, int count) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrap()),
            new StringDeserializer(),
            new StringDeserializer())) {
      TopicPartition partition = new TopicPartition("t", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      while (values.size() < count) {
        for (ConsumerRecord<String, String> r : consumer.poll(Duration.ofMillis(100))) {
          values.add(r.value());
        }
      }
    }
    return values;
  }
}
