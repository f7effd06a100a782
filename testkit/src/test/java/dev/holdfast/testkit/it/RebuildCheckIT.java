package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.topology.RebuildCheck;
import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.HoldfastProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running application's rows are those that its log makes. */
@Tag("campaign")
final class RebuildCheckIT {
  private static final Logger LOG = LoggerFactory.getLogger(RebuildCheckIT.class);
  private static final int USERS = 40;
  private static final int RATE = 400;
  private static final int PARTITIONS = 4;

  @Test
  @DisplayName(
      "D2: after traffic and a kill -9 the state is what the log says; a doctored row is found")
  void theStateIsWhatTheLogSays() throws Exception {
    try (Cluster cluster = Cluster.start(spec());
        Traffic traffic = new Traffic(3, USERS, RATE, cluster.edgeUris())) {
      traffic.start();
      traffic.flow(2);
      cluster.streams(0).kill9();
      traffic.flow(2);

      List<RebuildCheck.Found> live = new ArrayList<>();
      assertThat(check(cluster, live)).as("while messages flow: %s", live).isTrue();
      traffic.settle(Duration.ofMinutes(1));

      List<RebuildCheck.Found> found = new ArrayList<>();
      assertThat(check(cluster, found)).as("%s", found).isTrue();
      assertThat(found).hasSize(PARTITIONS).allMatch(one -> one.offset() > 0 && one.rows() > 0);
      assertThat(found.stream().mapToLong(RebuildCheck.Found::rows).sum())
          .isGreaterThan(2L * traffic.ledger().accepted());
      aDamagedCopyIsFound(cluster);
      aDoctoredRowIsFound(cluster);
    }
  }

  /** The changelog is whole, what an instance has on its disk is not. */
  private static void aDamagedCopyIsFound(Cluster cluster) throws Exception {
    Path data = cluster.dir().resolve("streams-a-1");
    String[] ofTheInstance = {"--instance-data", data.toString()};
    assertThat(command(cluster, 1, ofTheInstance))
        .contains("another holdfast streams runs on " + data);
    assertThat(cluster.streams(1).terminate()).isZero();
    assertThat(command(cluster, 0, ofTheInstance))
        .containsPattern("partition \\d: \\d+ rows agree at offset \\d+\n")
        .contains("this instance's copy of the state of holdfast-delivery-a is what its log says");

    int partition = 3;
    Path store = data.resolve("holdfast-delivery-a/0_" + partition + "/rocksdb/mailboxes");
    doctor(store, Keys.message("nobody", 1), new byte[] {1});
    assertThat(command(cluster, 1, ofTheInstance))
        .containsPattern("partition " + partition + ": 1 of \\d+ rows differ at offset \\d+:\n")
        .contains("\n  message 1 of nobody is in the application only\n");

    try (Stream<Path> files = Files.list(store)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".sst")).toList()) {
        Files.write(file, new byte[(int) Files.size(file)]);
      }
    }
    assertThat(command(cluster, 1, ofTheInstance))
        .contains("cannot be read: ", "It is damaged: delete the data directory of its instance");

    Utils.delete(data.toFile());
    cluster.streams(1).start();
    assertThat(cluster.streams(1).terminate()).isZero();
    assertThat(command(cluster, 0, ofTheInstance)).contains("is what its log says");
  }

  /** Writes into an instance's own store what it never would. */
  private static void doctor(Path store, byte[] key, byte[] value) throws RocksDBException {
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (Options options = new Options();
        DBOptions dbOptions = new DBOptions();
        FlushOptions flush = new FlushOptions()) {
      List<ColumnFamilyDescriptor> families =
          RocksDB.listColumnFamilies(options, store.toString()).stream()
              .map(ColumnFamilyDescriptor::new)
              .toList();
      try (RocksDB db = RocksDB.open(dbOptions, store.toString(), families, handles)) {
        db.put(key, value);
        db.flush(flush);
        handles.forEach(ColumnFamilyHandle::close);
      }
    }
  }

  private static String command(Cluster cluster, int status, String... options)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("rebuild", "--check"));
    words.addAll(List.of(options));
    words.addAll(List.of("--bootstrap", cluster.bootstrap(), "--data", cluster.dir().toString()));
    try (HoldfastProcess command = HoldfastProcess.start("rebuild-check-command", words)) {
      assertThat(command.awaitExit(Duration.ofSeconds(60))).as(command.tail()).isEqualTo(status);
      return command.tail();
    }
  }

  private static void aDoctoredRowIsFound(Cluster cluster) throws Exception {
    doctor(cluster, 3, Keys.message("nobody", 1), new byte[] {1});
    assertThat(command(cluster, 1))
        .containsPattern("partition 2: \\d+ rows agree at offset \\d+\n")
        .containsPattern("partition 3: 1 of \\d+ rows differ at offset \\d+:\n")
        .contains("\n  message 1 of nobody is in the application only\n")
        .contains("the state of holdfast-delivery-a is not known to be what its log says");
  }

  private static ClusterSpec spec() {
    return ClusterSpec.named("rebuild-check").withSizes(new TopicSizes(PARTITIONS, 2, 1));
  }

  private static boolean check(Cluster cluster, List<RebuildCheck.Found> found) throws IOException {
    Path dir = Files.createDirectory(cluster.dir().resolve("check-" + System.nanoTime()));
    long from = System.nanoTime();
    boolean same = new RebuildCheck(cluster.bootstrap(), Map.of(), "a", dir, null).run(found::add);
    LOG.info("checked in {} ms", (System.nanoTime() - from) / 1_000_000);
    try (Stream<Path> left = Files.list(dir)) {
      assertThat(left).isEmpty();
    }
    return same;
  }

  /** Writes into the changelog what no application ever would. */
  static void doctor(Cluster cluster, int partition, byte[] key, byte[] value) throws Exception {
    Map<String, Object> props = Map.of("bootstrap.servers", cluster.bootstrap(), "acks", "all");
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(props, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer
          .send(
              new ProducerRecord<>(
                  "holdfast-delivery-a-mailboxes-changelog", partition, key, value))
          .get();
    }
  }
}
