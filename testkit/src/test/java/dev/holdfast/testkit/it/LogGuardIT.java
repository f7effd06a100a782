package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.Partition;
import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * State and log must belong together, and what comes twice after a rebuild must not count twice.
 */
@Tag("campaign")
final class LogGuardIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final long DAY_MS = 86_400_000;

  @Test
  @DisplayName(
      "D1: an old forward is not taken; a log made anew under old state stops the instance")
  void oldForwardsAndAnotherLog() throws Exception {
    try (Cluster cluster =
            Cluster.start(ClusterSpec.named("guard").withReplicas("a").withEdges(1));
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      staleForward(cluster, kafka);
      assertThat(cluster.streams(0).terminate()).isZero();
      assertThat(cluster.edge(0).terminate()).isZero();
      makeLogAnew(cluster);
      cluster.streams(0).launch();
      // The first record in a partition with old rows is the new log's own rules.
      assertThat(cluster.streams(0).process().awaitExit(Duration.ofSeconds(60))).isEqualTo(1);
      assertThat(cluster.streams(0).process().tail()).contains("deleted and made anew");
    }
  }

  @Test
  @DisplayName("D1 D4: rows that are behind are restored from the changelog; no seq names two")
  void aStoreThatLacksRows() throws Exception {
    try (Cluster cluster =
            Cluster.start(ClusterSpec.named("lacking").withReplicas("a").withEdges(1));
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      try (EdgeClient client =
          EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", "zoe", "lastSeq", 0))) {
        client.sendTo("zoe", "z1", 1);
        assertThat(client.messages(1, SOON)).hasSize(1);
        assertThat(cluster.streams(0).terminate()).isZero();
        takeRowsAway(cluster);
        client.sendTo("zoe", "z2", 2);
        assertThat(startAndStop(cluster))
            .contains("This instance throws its copy of the state away");
        cluster.streams(0).start();
        assertThat(client.messages(1, SOON))
            .extracting(m -> m.path("seq").asLong())
            .containsExactly(2L);
      }
      assertThat(kafka.seqsGivenTwice()).isEmpty();
      assertThat(cluster.streams(0).terminate()).isZero();
      anOldStore(cluster, kafka);
    }
  }

  /** Rows that are older than Streams notes. */
  private static void anOldStore(Cluster cluster, KafkaLog kafka) throws Exception {
    Map<Path, byte[]> old = new HashMap<>();
    eachStore(
        cluster,
        (store, db) -> {
          byte[] row = db.get(Keys.partition());
          if (row != null) {
            old.put(store, row);
          }
        });
    cluster.streams(0).start();
    for (int i = 0; i < Partition.EVERY; i++) {
      kafka.write(Topics.EVENTS, null, "zoe", message("b" + i));
    }
    try (Lag lag = new Lag(cluster.bootstrap())) {
      lag.awaitBelow(1, "holdfast-delivery-a");
    }
    assertThat(cluster.streams(0).terminate()).isZero();
    eachStore(
        cluster,
        (store, db) -> {
          if (old.containsKey(store)) {
            db.put(Keys.partition(), old.get(store));
          }
        });
    kafka.write(Topics.EVENTS, null, "zoe", message("last"));
    assertThat(startAndStop(cluster)).contains("but the state ends at");
    cluster.streams(0).start();
    try (EdgeClient client =
        EdgeClient.welcomed(
            cluster.edgeUri(0), Map.of("clientId", "zoe", "lastSeq", 2 + Partition.EVERY))) {
      assertThat(client.messages(1, SOON))
          .extracting(m -> m.path("seq").asInt())
          .containsExactly(3 + Partition.EVERY);
    }
  }

  private static byte[] message(String clientMsgId) {
    return ("{\"type\":\"message\",\"from\":\"backend\",\"clientMsgId\":\""
            + clientMsgId
            + "\",\"payload\":1}")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String startAndStop(Cluster cluster) throws InterruptedException {
    cluster.streams(0).launch();
    assertThat(cluster.streams(0).process().awaitExit(Duration.ofSeconds(60))).isEqualTo(1);
    return cluster.streams(0).process().tail();
  }

  /** Leaves what Streams notes about its stores, so that it takes them for complete. */
  private static void takeRowsAway(Cluster cluster) throws Exception {
    eachStore(cluster, (store, db) -> db.deleteRange(new byte[0], new byte[] {-1, -1, -1, -1}));
  }

  private interface Change {
    void make(Path store, RocksDB db) throws RocksDBException;
  }

  private static void eachStore(Cluster cluster, Change change) throws Exception {
    RocksDB.loadLibrary();
    List<Path> stores;
    try (Stream<Path> files = Files.walk(cluster.dir().resolve("streams-a-0"))) {
      stores = files.filter(f -> f.endsWith("rocksdb/mailboxes")).toList();
    }
    assertThat(stores).hasSize(8);
    for (Path store : stores) {
      List<ColumnFamilyHandle> families = new ArrayList<>();
      try (Options listing = new Options();
          DBOptions options = new DBOptions();
          RocksDB db =
              RocksDB.open(
                  options,
                  store.toString(),
                  RocksDB.listColumnFamilies(listing, store.toString()).stream()
                      .map(ColumnFamilyDescriptor::new)
                      .toList(),
                  families)) {
        change.make(store, db);
        families.forEach(ColumnFamilyHandle::close);
      }
    }
  }

  private static void staleForward(Cluster cluster, KafkaLog kafka) throws InterruptedException {
    try (EdgeClient client =
        EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", "zoe", "lastSeq", 0))) {
      byte[] value = message("m1");
      long now = System.currentTimeMillis();
      kafka.writeForwardedAt(Topics.EVENTS, "zoe", value, now - DAY_MS - 60_000);
      kafka.writeForwardedAt(Topics.EVENTS, "zoe", value, now - 60_000);
      kafka.writeForwardedAt(Topics.EVENTS, "zoe", value, now - 60_000);
      client.sendTo("zoe", "z1", 2);
      assertThat(client.messages(2, SOON))
          .extracting(m -> m.path("payload").asInt())
          .containsExactly(1, 2);
      Awaitility.await()
          .atMost(SOON)
          .until(
              () ->
                  kafka.committed(Topics.DEAD_LETTERS).stream()
                      .filter(r -> KafkaLog.header(r, "reason").equals("stale_forward"))
                      .count(),
              n -> n == 1);
    }
  }

  private static void makeLogAnew(Cluster cluster) throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
        TopicsAdmin topics = new TopicsAdmin(cluster.bootstrap(), Map.of())) {
      admin.deleteTopics(List.of(Topics.EVENTS.topic())).all().get();
      Awaitility.await()
          .atMost(SOON)
          .until(() -> !admin.listTopics().names().get().contains(Topics.EVENTS.topic()));
      admin.deleteConsumerGroups(List.of("holdfast-delivery-a")).all().get();
      topics.init(new TopicsAdmin.TopicSizes(8, 4, 1));
    }
  }
}
