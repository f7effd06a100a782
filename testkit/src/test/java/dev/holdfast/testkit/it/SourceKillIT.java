package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.PhoneClient;
import dev.holdfast.testkit.process.PhoneLog;
import dev.holdfast.testkit.process.Phones;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sources under load while instances that copy them die, or stand still and wake as zombies. */
@Tag("campaign")
final class SourceKillIT {
  private static final Logger LOG = LoggerFactory.getLogger(SourceKillIT.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOPIC = "orders";
  private static final String OPTION = "--source=" + TOPIC + ":from=shop";
  private static final int USERS = 20;
  private static final int TICK_MS = 20;
  private static final int PER_TICK = 20;

  /** Longer than the 6 s session: who stands still for so long is thrown out of the group. */
  private static final long PAUSE_S = 9;

  @Test
  @DisplayName("D1: kill -9 of each of two instances: every record arrives once, in source order")
  void killsLoseAndRepeatNothing() throws Exception {
    try (SourceCluster cluster = new SourceCluster("source-kill");
        Load load = new Load(cluster, 6)) {
      HoldfastProcess[] streams = {cluster.streams(0, OPTION), cluster.streams(1, OPTION)};
      streams[0].awaitReady(SourceCluster.READY);
      streams[1].awaitReady(SourceCluster.READY);
      load.start();
      load.flow(1);
      for (int i = 0; i < 2; i++) {
        streams[i].kill9();
        streams[i] = cluster.streams(i, OPTION).awaitReady(SourceCluster.READY);
        load.flow(1);
      }
      load.settleAndCheck();
      int twice = load.copiedTwice();
      LOG.info("{} records, {} copied more than once", load.written(), twice);
      assertThat(twice).as("a kill fell between copy and commit").isPositive();
    }
  }

  @Test
  @Tag("soak")
  @DisplayName("D1: an instance that stands still and wakes as a zombie breaks no order")
  void zombieBreaksNoOrder() throws Exception {
    try (SourceCluster cluster = new SourceCluster("source-zombie");
        Load load = new Load(cluster, 6)) {
      HoldfastProcess[] streams = {cluster.streams(0, OPTION), cluster.streams(1, OPTION)};
      streams[0].awaitReady(SourceCluster.READY);
      streams[1].awaitReady(SourceCluster.READY);
      load.start();
      load.flow(1);
      for (HoldfastProcess each : List.of(streams[0], streams[1])) {
        each.pause();
        TimeUnit.SECONDS.sleep(PAUSE_S);
        each.resume();
        load.flow(4);
      }
      load.settleAndCheck();
      LOG.info("{} records, {} copied more than once", load.written(), load.copiedTwice());
    }
  }

  @Test
  @Tag("soak")
  @DisplayName("D1: kill -9 of the only broker, and 9 s without it: the same")
  void brokerDies() throws Exception {
    try (SourceCluster cluster = new SourceCluster("source-broker");
        Load load = new Load(cluster, 6)) {
      cluster.streams(0, OPTION).awaitReady(SourceCluster.READY);
      load.start();
      load.flow(2);
      cluster.cluster().broker().kill9();
      TimeUnit.SECONDS.sleep(PAUSE_S);
      cluster.cluster().broker().start();
      load.flow(4);
      load.settleAndCheck();
      LOG.info("{} records, {} copied more than once", load.written(), load.copiedTwice());
    }
  }

  /** Records with growing numbers for each user, and a phone each to see them come. */
  private static final class Load implements AutoCloseable {
    private final SourceCluster cluster;
    private final Phones phones = new Phones(7);
    private final List<PhoneClient> all = new ArrayList<>();
    private final int[] next = new int[USERS];
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private long ticks;

    Load(SourceCluster cluster, int partitions) throws InterruptedException {
      this.cluster = cluster;
      cluster.makeTopic(TOPIC, partitions);
      for (int u = 0; u < USERS; u++) {
        all.add(phones.phone("user" + u, "phone" + u, cluster.cluster().edgeUris()).start());
      }
    }

    void start() {
      var unused = clock.scheduleAtFixedRate(this::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
    }

    private synchronized void tick() {
      for (int i = 0; i < PER_TICK; i++) {
        int user = (int) (ticks++ % USERS);
        var unused = cluster.write(TOPIC, "user" + user, Integer.toString(next[user]++));
      }
    }

    synchronized int written() {
      int sum = 0;
      for (int n : next) {
        sum += n;
      }
      return sum;
    }

    private long handed() {
      return all.stream().mapToLong(p -> p.log().handedCount()).sum();
    }

    /** Until as many came as are written in {@code seconds}. */
    void flow(int seconds) {
      long enough = handed() + seconds * 1000L / TICK_MS * PER_TICK;
      Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> handed() >= enough);
    }

    void settleAndCheck() throws InterruptedException {
      clock.shutdown();
      assertThat(clock.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
      Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> handed() >= written());
      for (int u = 0; u < USERS; u++) {
        PhoneLog log = all.get(u).log();
        List<Integer> expected = java.util.stream.IntStream.range(0, next[u]).boxed().toList();
        assertThat(log.handed().stream().map(h -> Integer.valueOf(h.payload())))
            .as("what user%s got", u)
            .isEqualTo(expected);
        assertThat(log.handed()).allMatch(h -> h.from().equals("shop"));
        assertThat(log.violations()).isEmpty();
      }
      try (KafkaLog kafka = new KafkaLog(cluster.cluster().bootstrap())) {
        assertThat(kafka.seqsGivenTwice()).isEmpty();
        assertThat(kafka.committed(Topics.DEAD_LETTERS)).isEmpty();
      }
    }

    /** How many records have more than one copy in the log. */
    int copiedTwice() {
      Map<String, Integer> copies = new HashMap<>();
      try (KafkaLog kafka = new KafkaLog(cluster.cluster().bootstrap())) {
        kafka.readAll(
            Topics.EVENTS,
            event -> {
              try {
                String id = JSON.readTree(event.value()).path("clientMsgId").asText();
                if (!id.isEmpty()) {
                  copies.merge(id, 1, Integer::sum);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
      }
      assertThat(copies).hasSize(written());
      return (int) copies.values().stream().filter(n -> n > 1).count();
    }

    @Override
    public void close() {
      clock.shutdownNow();
      phones.close();
    }
  }
}
