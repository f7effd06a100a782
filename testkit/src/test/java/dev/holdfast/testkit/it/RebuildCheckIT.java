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
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
      aDoctoredRowIsFound(cluster);
    }
  }

  private static void aDoctoredRowIsFound(Cluster cluster) throws Exception {
    doctor(cluster, 3, Keys.message("nobody", 1), new byte[] {1});
    HoldfastProcess command =
        HoldfastProcess.start(
            "rebuild-check-command",
            List.of(
                "rebuild",
                "--check",
                "--bootstrap",
                cluster.bootstrap(),
                "--data",
                cluster.dir().toString()));
    assertThat(command.awaitExit(Duration.ofSeconds(60))).isEqualTo(1);
    assertThat(command.tail())
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
