package dev.holdfast.testkit.it;

import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A broker and an edge, topics of one's own, and streams instances that have them as sources. */
final class SourceCluster implements AutoCloseable {
  static final Duration READY = Duration.ofSeconds(90);

  private final String name;
  private final Cluster cluster;
  private final Admin admin;
  private final KafkaProducer<byte[], byte[]> producer;
  private final List<HoldfastProcess> processes = new ArrayList<>();
  private final Map<Integer, Integer> ports = new HashMap<>();

  SourceCluster(String name) throws InterruptedException {
    this.name = name;
    this.cluster =
        Cluster.start(
            ClusterSpec.named(name).withReplicas().withEdges(1).withSizes(new TopicSizes(4, 2, 1)));
    this.admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
    // With several requests under way to a partition that has no leader yet, the second batch may
    // be
    // taken before the first, which then never is.
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                cluster.bootstrap(),
                "linger.ms",
                "2",
                "max.in.flight.requests.per.connection",
                "1"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  Cluster cluster() {
    return cluster;
  }

  Admin admin() {
    return admin;
  }

  void makeTopic(String topic, int partitions) throws InterruptedException {
    try {
      admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  void deleteTopic(String topic) throws InterruptedException {
    try {
      admin.deleteTopics(List.of(topic)).all().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Launches an instance; the same number continues the same data. */
  HoldfastProcess streams(int number, String... options) {
    int port = ports.computeIfAbsent(number, n -> TestPorts.free());
    List<String> args =
        new ArrayList<>(
            List.of(
                "streams",
                "--bootstrap",
                cluster.bootstrap(),
                "--data",
                cluster.dir().resolve("own-streams-" + number).toString(),
                "--port",
                String.valueOf(port)));
    args.addAll(List.of(options));
    return started(HoldfastProcess.start(name + "-streams-" + number, args));
  }

  /** Runs another command with {@code --bootstrap} behind it. */
  HoldfastProcess command(String... words) {
    List<String> args = new ArrayList<>(List.of(words));
    args.addAll(List.of("--bootstrap", cluster.bootstrap()));
    return started(HoldfastProcess.start(name + "-" + words[0] + "-" + processes.size(), args));
  }

  private HoldfastProcess started(HoldfastProcess process) {
    processes.add(process);
    return process;
  }

  /** The page of metrics of an instance. */
  String metricsUri(int number) {
    return "http://127.0.0.1:" + ports.get(number) + "/metrics";
  }

  /** Writes a record; returns at once. */
  Future<RecordMetadata> write(String topic, @Nullable String key, byte @Nullable [] value) {
    return write(topic, key, value, null);
  }

  /** The same, with a time of one's own. */
  Future<RecordMetadata> write(
      String topic, @Nullable String key, byte @Nullable [] value, @Nullable Long timeMs) {
    byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
    return producer.send(new ProducerRecord<>(topic, null, timeMs, keyBytes, value));
  }

  Future<RecordMetadata> write(String topic, @Nullable String key, String value) {
    return write(topic, key, value.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(2));
    admin.close(Duration.ofSeconds(2));
    processes.forEach(HoldfastProcess::close);
    cluster.close();
  }
}
