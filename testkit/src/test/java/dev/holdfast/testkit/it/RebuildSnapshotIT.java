package dev.holdfast.testkit.it;

import static dev.holdfast.testkit.it.RebuildCheckIT.doctor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.topology.RebuildCheck;
import dev.holdfast.delivery.topology.RebuildCheck.Found;
import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A state whose log no longer has its beginning is compared from a snapshot on. */
@Tag("campaign")
final class RebuildSnapshotIT {
  private static final int USERS = 40;
  private static final int RATE = 300;
  private static final int PARTITIONS = 4;

  @Test
  @DisplayName(
      "D2: past the log's retention the state is checked from a snapshot, of the log's making or of"
          + " the application's; a doctored row is found; one that is too old is told")
  void pastRetention() throws Exception {
    ClusterSpec spec =
        ClusterSpec.named("rebuild-snapshot").withSizes(new TopicSizes(PARTITIONS, 2, 1));
    try (Cluster cluster = Cluster.start(spec);
        Traffic traffic = new Traffic(5, USERS, RATE, cluster.edgeUris())) {
      Path ofTheLog = Files.createDirectory(cluster.dir().resolve("of-the-log"));
      traffic.start();
      traffic.flow(2);
      List<Found> first = check(cluster, ofTheLog);
      assertThat(first).hasSize(PARTITIONS).allMatch(Found::agrees).allMatch(f -> f.begin() == 0);

      traffic.flow(1);
      forget(cluster, first);
      assertThat(check(cluster, null)).noneMatch(Found::agrees).allMatch(f -> f.offset() < 0);
      List<Found> second = check(cluster, ofTheLog);
      assertThat(second).allMatch(Found::agrees).allMatch(f -> f.trusted() == 0);
      assertThat(second).extracting(Found::begin).isEqualTo(offsets(first));

      Path ofTheApplication = Files.createDirectory(cluster.dir().resolve("of-the-application"));
      List<Found> taken = check(cluster, ofTheApplication); // while messages flow
      assertThat(taken).noneMatch(Found::agrees).allMatch(f -> f.offset() > 0);
      traffic.flow(1);
      List<Found> third = check(cluster, ofTheApplication);
      assertThat(third).as("%s", third).allMatch(Found::agrees);
      assertThat(third).extracting(Found::trusted).isEqualTo(offsets(taken));
      traffic.settle(Duration.ofMinutes(1));

      aDoctoredRowIsFound(cluster, ofTheLog, second);
      whatIsTooOldIsTold(cluster, ofTheLog);
    }
  }

  private static void aDoctoredRowIsFound(Cluster cluster, Path snapshots, List<Found> before)
      throws Exception {
    doctor(cluster, 3, Keys.message("nobody", 1), new byte[] {1});
    for (int i = 0; i < 2; i++) { // what differs is no snapshot for the next time
      String said = command(cluster, snapshots);
      assertThat(said)
          .containsPattern("partition 2: \\d+ rows agree at offset \\d+, from the snapshot at \\d+")
          .containsPattern(
              "partition 3: 1 of \\d+ rows differ at offset \\d+, from the snapshot at "
                  + before.get(3).offset()
                  + ":\n")
          .contains("\n  message 1 of nobody is in the application only\n")
          .contains("the state of holdfast-delivery-a is not known to be what its log says");
    }
  }

  private static void whatIsTooOldIsTold(Cluster cluster, Path snapshots) throws Exception {
    forget(cluster, check(cluster, snapshots));
    Path anew = cluster.dir().resolve("anew");
    assertThat(command(cluster, anew))
        .containsPattern(
            "partition 0: not compared, since the log begins at offset \\d+: .*; the application's"
                + " rows at offset \\d+ are kept");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(anew)))
        .isEqualTo("rwx------");
    assertThat(command(cluster, snapshots))
        .containsPattern("partition 3: not compared, .* and the snapshot ends at \\d+: ");
  }

  private static String command(Cluster cluster, Path snapshots)
      throws IOException, InterruptedException {
    HoldfastProcess command =
        HoldfastProcess.start(
            "rebuild-snapshot-command",
            List.of(
                "rebuild",
                "--check",
                "--bootstrap",
                cluster.bootstrap(),
                "--snapshot",
                snapshots.toString()));
    assertThat(command.awaitExit(Duration.ofSeconds(60))).isEqualTo(1);
    return command.tail();
  }

  private static List<Found> check(Cluster cluster, @Nullable Path snapshots) throws IOException {
    Path dir = Files.createDirectory(cluster.dir().resolve("check-" + System.nanoTime()));
    List<Found> found = new ArrayList<>();
    new RebuildCheck(cluster.bootstrap(), Map.of(), "a", dir, snapshots).run(found::add);
    return found;
  }

  private static List<Long> offsets(List<Found> found) {
    return found.stream().map(Found::offset).toList();
  }

  /** What retention does to records below the offsets of {@code found}. */
  private static void forget(Cluster cluster, List<Found> found) throws Exception {
    Map<TopicPartition, RecordsToDelete> below = new HashMap<>();
    for (Found each : found) {
      below.put(
          new TopicPartition(Topics.EVENTS.topic(), each.partition()),
          RecordsToDelete.beforeOffset(each.offset()));
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      admin.deleteRecords(below).all().get();
    }
  }
}
