package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.RawJson;
import dev.holdfast.channel.ChannelHeaders;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespaces;
import dev.holdfast.edge.channel.ChannelCounters;
import dev.holdfast.edge.channel.ChannelLimits;
import dev.holdfast.edge.channel.EdgeChannels;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an edge publishes to channels, by itself, on a real broker. */
@Tag("campaign")
final class PublisherIT {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static Cluster cluster;
  private static EdgeChannels channels;
  private static Namespaces namespaces;
  private static final List<String> FATAL = new ArrayList<>();
  private static final ChannelCounters COUNTERS = new ChannelCounters();

  @BeforeAll
  static void start() throws InterruptedException {
    cluster = Cluster.start(ClusterSpec.named("publisher").withReplicas().withEdges(0));
    namespaces =
        new Namespaces(
            List.of(
                Namespace.parse("grows:publish=clients"),
                Namespace.parse("small:publish=clients")));
    channels =
        new EdgeChannels(
            cluster.bootstrap(),
            "publisher",
            Map.of(),
            namespaces,
            ChannelLimits.DEFAULT,
            64 << 20,
            COUNTERS,
            () -> System.nanoTime() / 1_000_000,
            InstantSource.system(),
            FATAL::add);
    channels.start();
  }

  @AfterAll
  static void stop() {
    channels.close();
    cluster.close();
    assertThat(FATAL).isEmpty();
  }

  /** What became of one event. */
  private record Told(int number, @Nullable ErrorCode refused, String why) {}

  private static void publish(String channel, int number, String payload, Consumer<Told> to) {
    ChannelName name = Objects.requireNonNull(ChannelName.of(channel));
    channels.publish(
        Objects.requireNonNull(namespaces.of(name)),
        name,
        name.key() + "-" + number,
        "somebody",
        RawJson.of(payload),
        new Channels.Published() {
          @Override
          public void stored() {
            to.accept(new Told(number, null, ""));
          }

          @Override
          public void refused(ErrorCode code, String why) {
            to.accept(new Told(number, code, why));
          }
        });
  }

  private static Told told(String channel, String payload) throws InterruptedException {
    while (true) {
      BlockingQueue<Told> answer = new ArrayBlockingQueue<>(1);
      publish(channel, 1, payload, answer::add);
      Told told = answer.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
      assertThat(told).as("an answer").isNotNull();
      if (told.refused() != ErrorCode.OVERLOADED) {
        return told;
      }
      Thread.sleep(20);
    }
  }

  @Test
  @DisplayName("a topic that is not there, an event that it does not take, and one that it does")
  void outcomes() throws Exception {
    assertThat(told("small:a", "1").refused()).isEqualTo(ErrorCode.UNAVAILABLE);
    ChannelTopic.create(cluster.bootstrap(), "small", 1, Map.of("max.message.bytes", "1000"))
        .close();
    Awaitility.await()
        .atMost(SOON)
        .until(() -> told("small:a", "1").refused() != ErrorCode.UNAVAILABLE);
    long before = COUNTERS.published.sum();
    Told large = told("small:a", "\"" + "x".repeat(2_000) + "\"");
    assertThat(large.refused()).isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE);
    assertThat(COUNTERS.published.sum()).isEqualTo(before);
    assertThat(told("small:a", "2")).isEqualTo(new Told(1, null, ""));
    assertThat(COUNTERS.published.sum()).isEqualTo(before + 1);
    ConsumerRecord<byte[], byte[]> last = last(read("small", 1).get(0));
    assertThat(new String(last.key(), StandardCharsets.UTF_8)).isEqualTo("a");
    assertThat(new String(last.value(), StandardCharsets.UTF_8)).isEqualTo("2");
    assertThat(header(last, ChannelHeaders.MSG_ID)).isEqualTo("a-1");
    assertThat(header(last, ChannelHeaders.FROM)).isEqualTo("somebody");
  }

  @Test
  @DisplayName("while a topic gets more partitions each sender's events keep their order in each")
  void orderThroughGrowth() throws Exception {
    ChannelTopic.create(cluster.bootstrap(), "grows", 1, Map.of()).close();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      Awaitility.await().atMost(SOON).until(() -> told("grows:warm", "0").refused() == null);
      List<Sender> senders =
          IntStream.range(0, 8).mapToObj(i -> new Sender("grows:k" + i)).toList();
      run(senders, Duration.ofSeconds(1));
      admin.createPartitions(Map.of("grows", NewPartitions.increaseTo(5))).all().get();
      run(senders, Duration.ofSeconds(8));
      for (Sender sender : senders) {
        sender.settle();
      }

      List<List<ConsumerRecord<byte[], byte[]>>> all = read("grows", 5);
      assertThat(all.subList(1, 5)).as("channels moved").anyMatch(one -> !one.isEmpty());
      Map<String, Set<Integer>> stored = new HashMap<>();
      for (List<ConsumerRecord<byte[], byte[]>> partition : all) {
        checkOrder(partition, stored);
      }
      for (Sender sender : senders) {
        assertThat(stored.get(sender.channel.substring("grows:".length()))).hasSize(sender.next);
      }
    }
  }

  /** But for repeats, which readers drop, numbers rise. */
  private static void checkOrder(
      List<ConsumerRecord<byte[], byte[]>> partition, Map<String, Set<Integer>> stored) {
    Map<String, TreeSet<Integer>> had = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : partition) {
      int number = Integer.parseInt(new String(record.value(), StandardCharsets.UTF_8));
      String key = new String(record.key(), StandardCharsets.UTF_8);
      stored.computeIfAbsent(key, unused -> new TreeSet<>()).add(number);
      TreeSet<Integer> before = had.computeIfAbsent(key, unused -> new TreeSet<>());
      if (!before.contains(number)) {
        assertThat(before.isEmpty() || before.last() < number)
            .as("%s in partition %s: %s after a later one", key, record.partition(), number)
            .isTrue();
        before.add(number);
      }
    }
  }

  /** One who does not wait for answers; what is refused comes again before anything later. */
  private static final class Sender {
    private static final int MOST = 50;

    private final String channel;
    private final List<Told> unexpected = new ArrayList<>();
    private int next;
    private int underWay;
    private int back = Integer.MAX_VALUE;

    Sender(String channel) {
      this.channel = channel;
    }

    synchronized void told(Told told) {
      underWay--;
      if (told.refused() == ErrorCode.OVERLOADED) {
        back = Math.min(back, told.number());
      } else if (told.refused() != null) {
        unexpected.add(told);
      }
      notifyAll();
    }

    /** As a session does: after a refusal nothing later is taken until that comes again. */
    void send() {
      int number;
      synchronized (this) {
        if (back < Integer.MAX_VALUE && underWay == 0) {
          next = back;
          back = Integer.MAX_VALUE;
        }
        if (back < Integer.MAX_VALUE || underWay >= MOST) {
          return;
        }
        number = next++;
        underWay++;
      }
      publish(channel, number, Integer.toString(number), this::told);
    }

    /** Sends until all that was sent is stored. */
    void settle() throws InterruptedException {
      long until = System.nanoTime() + SOON.toNanos();
      int end = next;
      while (true) {
        synchronized (this) {
          while (underWay > 0 && System.nanoTime() < until) {
            wait(100);
          }
          assertThat(unexpected).isEmpty();
          if (underWay == 0 && back == Integer.MAX_VALUE && next >= end) {
            return;
          }
        }
        assertThat(System.nanoTime()).as("until all is stored").isLessThan(until);
        send();
      }
    }
  }

  private static void run(List<Sender> senders, Duration time) {
    long until = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < until) {
      senders.forEach(Sender::send);
      LockSupport.parkNanos(200_000);
    }
  }

  private static ConsumerRecord<byte[], byte[]> last(List<ConsumerRecord<byte[], byte[]>> all) {
    return all.get(all.size() - 1);
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  private static List<List<ConsumerRecord<byte[], byte[]>>> read(String topic, int partitions) {
    List<List<ConsumerRecord<byte[], byte[]>>> all = new ArrayList<>();
    Map<String, Object> props = Map.of("bootstrap.servers", cluster.bootstrap());
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(props, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      for (int p = 0; p < partitions; p++) {
        TopicPartition partition = new TopicPartition(topic, p);
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        long end = Objects.requireNonNull(consumer.endOffsets(List.of(partition)).get(partition));
        while (consumer.position(partition) < end) {
          consumer.poll(Duration.ofMillis(200)).forEach(found::add);
        }
        all.add(found);
      }
    }
    return all;
  }
}
