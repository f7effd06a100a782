package dev.holdfast.testkit.it;

import dev.holdfast.testkit.process.ChannelClient;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;

/** Subscribers of some channels, and clients that publish to them, over several edges. */
final class ChannelLoad implements AutoCloseable {
  private static final int PUBLISHERS = 6;

  private final String bootstrap;
  private final String topic;
  private final List<String> channels = new ArrayList<>();
  private final List<List<String>> subscribed = new ArrayList<>();
  private final List<ChannelClient> subscribers = new ArrayList<>();
  private final List<ChannelClient> publishers = new ArrayList<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Random random;
  private int sent;

  /**
   * @param topic a namespace whose prefix and topic are the same
   */
  ChannelLoad(long seed, String bootstrap, String topic, int count, int channels, List<URI> edges) {
    this.bootstrap = bootstrap;
    this.topic = topic;
    this.random = new Random(seed);
    for (int i = 0; i < channels; i++) {
      this.channels.add(topic + ":k" + i);
    }
    for (int i = 0; i < count; i++) {
      String one = this.channels.get(i % channels);
      String two = this.channels.get((i + 1) % channels);
      List<String> mine = i % 3 == 0 ? List.of(one, two) : List.of(one);
      subscribed.add(mine);
      subscribers.add(new ChannelClient(topic + "-s" + i, edges, i, mine));
    }
    for (int i = 0; i < PUBLISHERS; i++) {
      publishers.add(new ChannelClient(topic + "-p" + i, edges, i, List.of()));
    }
  }

  /** Connects all, and publishes from then on. */
  void start(int perSecond) {
    subscribers.forEach(ChannelClient::start);
    publishers.forEach(ChannelClient::start);
    awaitSubscribed(Duration.ofSeconds(30));
    var unused =
        timer.scheduleAtFixedRate(this::publish, 0, 1_000_000 / perSecond, TimeUnit.MICROSECONDS);
  }

  private synchronized void publish() {
    int number = sent++;
    String channel = channels.get(random.nextInt(channels.size()));
    publishers.get(number % PUBLISHERS).post(channel, "m" + number, "v" + number);
  }

  void awaitSubscribed(Duration timeout) {
    Awaitility.await()
        .atMost(timeout)
        .until(() -> subscribers.stream().allMatch(ChannelClient::subscribed));
  }

  /** Until as many further messages were answered. */
  void flow(int messages) {
    int before = answered();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> answered() >= before + messages);
  }

  /**
   * Until as many messages are stored whose publishers, at one edge, do not hear of it. When that
   * edge dies they publish these again.
   */
  void loseAnswers(URI edge, int messages) {
    publishers.forEach(one -> one.loseAnswers(edge));
    int before = lostAnswers();
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> lostAnswers() >= before + messages);
  }

  private int lostAnswers() {
    return publishers.stream().mapToInt(ChannelClient::lostAnswers).sum();
  }

  int answered() {
    return publishers.stream().mapToInt(ChannelClient::answered).sum();
  }

  /** Ends publishing, and waits until everybody has what there is. */
  void settle(Duration timeout) throws InterruptedException {
    timer.shutdown();
    if (!timer.awaitTermination(5, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the timer does not end");
    }
    Awaitility.await()
        .atMost(timeout)
        .until(() -> publishers.stream().allMatch(p -> p.unanswered() == 0));
    Map<String, List<String>> truth = truth();
    int all = expected(truth);
    Awaitility.await()
        .atMost(timeout)
        .pollInterval(Duration.ofMillis(200))
        .failFast(() -> delivered() > all)
        .until(() -> delivered() == all);
  }

  private int delivered() {
    return subscribers.stream().mapToInt(ChannelClient::eventCount).sum();
  }

  private int expected(Map<String, List<String>> truth) {
    return subscribed.stream()
        .flatMap(List::stream)
        .mapToInt(channel -> truth.getOrDefault(channel, List.of()).size())
        .sum();
  }

  int sent() {
    return sent;
  }

  /** Messages in the log, and those that are there again. */
  record Log(int messages, int repeats) {}

  Log log() {
    int[] counts = new int[2];
    Set<String> seen = new LinkedHashSet<>();
    read(record -> counts[seen.add(value(record)) ? 0 : 1]++);
    return new Log(counts[0], counts[1]);
  }

  /** What is not as it must be, a line each. */
  List<String> violations() {
    Map<String, List<String>> truth = truth();
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < subscribers.size(); i++) {
      ChannelClient one = subscribers.get(i);
      one.trouble().forEach(wrong::add);
      for (String channel : subscribed.get(i)) {
        List<String> all = truth.getOrDefault(channel, List.of());
        List<String> had = one.events(channel);
        if (!had.equals(all)) {
          wrong.add("subscriber " + i + " of " + channel + ": " + difference(all, had));
        }
      }
    }
    publishers.forEach(one -> wrong.addAll(one.trouble()));
    return wrong;
  }

  private static String difference(List<String> all, List<String> had) {
    int at = 0;
    while (at < Math.min(all.size(), had.size()) && all.get(at).equals(had.get(at))) {
      at++;
    }
    List<String> wanted = all.subList(at, Math.min(all.size(), at + 3));
    List<String> got = had.subList(at, Math.min(had.size(), at + 3));
    return had.size() + " of " + all.size() + ", from " + at + " on " + got + " not " + wanted;
  }

  int reconnects() {
    return subscribers.stream().mapToInt(one -> one.connections() - 1).sum();
  }

  /** Each channel's messages in the log's order, each once. */
  private Map<String, List<String>> truth() {
    Map<String, Set<String>> truth = new HashMap<>();
    read(
        record ->
            truth
                .computeIfAbsent(topic + ":" + text(record.key()), key -> new LinkedHashSet<>())
                .add(value(record)));
    Map<String, List<String>> lists = new HashMap<>();
    truth.forEach((channel, values) -> lists.put(channel, List.copyOf(values)));
    return lists;
  }

  private interface Each {
    void take(ConsumerRecord<byte[], byte[]> record);
  }

  private void read(Each each) {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(p -> new TopicPartition(p.topic(), p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        consumer.poll(Duration.ofMillis(50)).forEach(each::take);
      }
    }
  }

  private static String value(ConsumerRecord<byte[], byte[]> record) {
    String json = text(record.value());
    return json.substring(1, json.length() - 1);
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    subscribers.forEach(ChannelClient::close);
    publishers.forEach(ChannelClient::close);
  }
}
