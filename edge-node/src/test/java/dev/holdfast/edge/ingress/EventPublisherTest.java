package dev.holdfast.edge.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.RawJson;
import dev.holdfast.edge.TestLimits;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class EventPublisherTest {
  private static final int PARTITIONS = 4;
  private static final int INGRESS_BYTES = 400_000;
  private static final int SHARE = INGRESS_BYTES / PARTITIONS;
  private static final int AWAY = 2;
  private static final EdgeRef EDGE = new EdgeRef("e", "i", 0);

  private final AtomicLong nowMs = new AtomicLong(1_000);
  private final Broker broker = new Broker();
  private final EventPublisher publisher =
      new EventPublisher(
          broker,
          TestLimits.ingressBytes(INGRESS_BYTES),
          PARTITIONS,
          new EdgeIdentity("e", 0, 1_700_000_000_000L, new Random(1)),
          new EdgeCounters(),
          nowMs::get,
          why -> {
            throw new AssertionError(why);
          });

  @BeforeEach
  void start() {
    publisher.start();
  }

  @AfterEach
  void stop() {
    publisher.close(Duration.ofSeconds(1));
  }

  @Test
  void onePartitionThatIsAwayCostsTheOthersNothing() throws InterruptedException {
    int taken = fill(user(AWAY));
    assertThat(taken).isBetween(1, SHARE / 10_000);
    for (int i = 0; i < 1_000; i++) {
      assertThat(offer(user(0), 10_000)).isTrue();
      if (i % 5 == 0) {
        broker.await(0, i + 1);
      }
    }
    broker.await(0, 1_000);
    assertThat(broker.held.size()).isLessThanOrEqualTo(taken);
    assertThat(broker.heldBytes()).isLessThan(SHARE);
  }

  @Test
  void rostersOfHealthyPartitionsGoOn() throws InterruptedException {
    assertThat(connect(user(0))).isTrue();
    broker.await(0, 1);
    fill(user(AWAY));
    nowMs.addAndGet(Rosters.INTERVAL_MS);
    broker.await(0, 2);
  }

  @Test
  void aConnectIsRefusedThereAndADisconnectNever() {
    fill(user(AWAY));
    assertThat(offer(user(AWAY), 0)).isTrue();
    int connects = 0;
    while (connects < 1_000 && connect(user(AWAY))) {
      connects++;
    }
    assertThat(connects).isLessThan(1_000);
    Event.Disconnect gone = new Event.Disconnect("c", "c1", EDGE, "gone");
    assertThat(publisher.offer(List.of(user(AWAY)), gone, null)).isTrue();
  }

  @Test
  void anOfferForSeveralIsTakenForAllOrNone() {
    fill(user(AWAY));
    for (int i = 0; i < 100; i++) {
      assertThat(offer(List.of(user(0), user(AWAY)), 10_000)).isFalse();
    }
    assertThat(offer(user(0), 10_000)).isTrue();
  }

  @Test
  void whatKafkaAnsweredMakesRoomStoredOrNot() throws InterruptedException {
    for (boolean stored : new boolean[] {true, false, true}) {
      int taken = fill(user(AWAY));
      assertThat(taken).isGreaterThan(3);
      broker.awaitHeld(taken);
      broker.answerHeld(stored);
    }
  }

  private int fill(String user) {
    int taken = 0;
    while (taken < 1_000 && offer(user, 10_000)) {
      taken++;
    }
    assertThat(taken).isLessThan(1_000);
    return taken;
  }

  private boolean connect(String user) {
    return publisher.offer(
        List.of(user), new Event.Connect("c", "c1", EDGE, null, null, null), null);
  }

  private boolean offer(String user, int bytes) {
    return offer(List.of(user), bytes);
  }

  private boolean offer(List<String> users, int bytes) {
    RawJson payload = RawJson.of("\"" + "x".repeat(bytes) + "\"");
    return publisher.offer(users, new Event.Message("a", "c", "m", payload), null);
  }

  /** Somebody who lives in {@code partition}. */
  private static String user(int partition) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "u" + i)
        .filter(
            name ->
                Utils.toPositive(Utils.murmur2(name.getBytes(StandardCharsets.UTF_8))) % PARTITIONS
                    == partition)
        .findFirst()
        .orElseThrow();
  }

  /** Answers at once, except for the partition that is away. */
  private static final class Broker extends MockProducer<byte[], byte[]> {
    private record Held(int bytes, Callback callback) {}

    private final Queue<Held> held = new ConcurrentLinkedQueue<>();
    private final Map<Integer, AtomicInteger> stored = new ConcurrentHashMap<>();

    Broker() {
      super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
      return IntStream.range(0, PARTITIONS)
          .mapToObj(i -> new PartitionInfo(topic, i, null, null, null))
          .toList();
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      if (record.partition() == AWAY) {
        held.add(new Held(record.value().length, callback));
        return new java.util.concurrent.CompletableFuture<>();
      }
      Future<RecordMetadata> done = super.send(record, callback);
      stored.computeIfAbsent(record.partition(), p -> new AtomicInteger()).incrementAndGet();
      return done;
    }

    int heldBytes() {
      return held.stream().mapToInt(Held::bytes).sum();
    }

    void answerHeld(boolean well) {
      Held next = held.poll();
      while (next != null) {
        TopicPartition at = new TopicPartition(Topics.EVENTS.topic(), AWAY);
        next.callback.onCompletion(
            new RecordMetadata(at, 0, 0, 0, 0, 0),
            well ? null : new NotLeaderOrFollowerException("away"));
        next = held.poll();
      }
    }

    void awaitHeld(int count) throws InterruptedException {
      while (held.size() < count) {
        Thread.sleep(2);
      }
    }

    void await(int partition, int count) throws InterruptedException {
      while (stored.getOrDefault(partition, new AtomicInteger()).get() < count) {
        Thread.sleep(2);
      }
    }
  }
}
