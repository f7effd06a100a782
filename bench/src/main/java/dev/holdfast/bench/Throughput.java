package dev.holdfast.bench;

import dev.holdfast.RawJson;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventWriter;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What one streams thread sustains: a log is written while none runs, then one starts and reads it
 * through. Every user is connected and acknowledges every 16 messages, so each message is stored,
 * delivered and acknowledged.
 */
final class Throughput {
  private static final String GROUP = "holdfast-delivery-a";
  private static final int ACK_EVERY = 16;

  private final Cluster cluster;

  Throughput(Cluster cluster) {
    this.cluster = cluster;
  }

  void run(int users, int messages) throws InterruptedException {
    int status = cluster.streams(0).terminate();
    if (status != 0) {
      throw new IllegalStateException("streams ended with " + status);
    }
    write(users, messages);
    long from = 0;
    long read = 0;
    cluster.streams(0).start();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      long end = end(admin);
      long first = committed(admin);
      long at = first;
      while (at < end) {
        TimeUnit.MILLISECONDS.sleep(50);
        at = committed(admin);
        // The first third warms up.
        if (from == 0 && at > first + (end - first) / 3) {
          from = System.nanoTime();
          read = at;
        }
      }
      double seconds = (System.nanoTime() - from) / 1e9;
      double share = (double) messages / end;
      System.out.printf(
          Locale.ROOT,
          "one streams thread: %.0f records/s, of them %.0f messages/s stored and delivered%n",
          (end - read) / seconds,
          (end - read) * share / seconds);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void write(int users, int messages) {
    EdgeRef edge = new EdgeRef("bench-edge", "bench", 0);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", cluster.bootstrap(), "acks", "all", "linger.ms", "5"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int u = 0; u < users; u++) {
        send(producer, u, new Event.Connect("c" + u, "k" + u, edge, 0L, null, null));
      }
      for (int n = 0; n < messages; n++) {
        int u = n % users;
        RawJson payload = RawJson.of(Payload.with(n));
        send(producer, u, new Event.Message("bench", "c", Integer.toString(n), payload));
        long seq = n / users + 1L;
        if (seq % ACK_EVERY == 0) {
          send(producer, u, new Event.Ack("c" + u, "k" + u, edge, seq));
        }
      }
    }
  }

  private static void send(KafkaProducer<byte[], byte[]> producer, int user, Event event) {
    byte[] key = ("u" + user).getBytes(StandardCharsets.US_ASCII);
    var unused =
        producer.send(new ProducerRecord<>(Topics.EVENTS.topic(), key, EventWriter.write(event)));
  }

  private static long end(Admin admin) throws InterruptedException, ExecutionException {
    int partitions =
        admin
            .describeTopics(List.of(Topics.EVENTS.topic()))
            .allTopicNames()
            .get()
            .values()
            .iterator()
            .next()
            .partitions()
            .size();
    Map<TopicPartition, OffsetSpec> wanted = new java.util.HashMap<>();
    for (int p = 0; p < partitions; p++) {
      wanted.put(new TopicPartition(Topics.EVENTS.topic(), p), OffsetSpec.latest());
    }
    return admin.listOffsets(wanted).all().get().values().stream().mapToLong(o -> o.offset()).sum();
  }

  private static long committed(Admin admin) throws InterruptedException, ExecutionException {
    return admin
        .listConsumerGroupOffsets(GROUP)
        .partitionsToOffsetAndMetadata()
        .get()
        .entrySet()
        .stream()
        .filter(e -> e.getValue() != null && e.getKey().topic().equals(Topics.EVENTS.topic()))
        .mapToLong(e -> e.getValue().offset())
        .sum();
  }
}
