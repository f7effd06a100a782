package dev.holdfast.delivery.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.delivery.StartRefused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SnapshotsTest {
  private static final byte[] KEY = {1};

  @TempDir private Path dir;

  private Path snapshots() throws IOException {
    return Files.createDirectories(dir.resolve("kept"));
  }

  private void keep(Snapshots in, int partition, int value, long offset) throws IOException {
    Path made = Files.createTempDirectory(dir, "rows");
    try (RocksRows rows = new RocksRows(made.resolve("db"))) {
      rows.put(KEY, new byte[] {(byte) value});
      in.keep(partition, rows, offset, 7);
      rows.put(KEY, new byte[] {0}); // is of no concern to the copy
    }
  }

  private static byte[] value(Snapshot of) {
    try (RocksRows rows = RocksRows.opened(of.rows())) {
      return Objects.requireNonNull(rows.get(KEY));
    }
  }

  @Test
  void theLastOneThatWasKeptIsFound() throws IOException {
    Snapshots in = new Snapshots(snapshots(), "log");
    assertThat(in.find(1)).isNull();
    keep(in, 1, 10, 999);
    keep(in, 11, 20, 5_000);
    keep(in, 1, 11, 1_000);

    Snapshot found = Objects.requireNonNull(new Snapshots(snapshots(), "log").find(1));
    assertThat(found.offset()).isEqualTo(1_000);
    assertThat(found.trusted()).isEqualTo(7);
    assertThat(value(found)).containsExactly(11);
    try (Stream<Path> left = Files.list(snapshots())) {
      assertThat(left).hasSize(2);
    }
  }

  @Test
  void whatACrashLeftBehindIsNotTakenForOne() throws IOException {
    Snapshots in = new Snapshots(snapshots(), "log");
    keep(in, 0, 1, 20);
    Files.createDirectory(snapshots().resolve("partition-0-offset-9")); // about to be deleted
    Files.createDirectory(snapshots().resolve("unfinished-0"));
    assertThat(in.find(0)).isNotNull().extracting(Snapshot::offset).isEqualTo(20L);

    keep(in, 0, 2, 30);
    try (Stream<Path> left = Files.list(snapshots())) {
      assertThat(left).containsExactly(snapshots().resolve("partition-0-offset-30"));
    }
  }

  @Test
  void oneOfAnotherLogOrABrokenOneIsRefused() throws IOException {
    keep(new Snapshots(snapshots(), "log"), 0, 1, 20);
    assertThatThrownBy(() -> new Snapshots(snapshots(), "another").find(0))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("give another directory");

    Files.delete(snapshots().resolve("partition-0-offset-20/snapshot.properties"));
    assertThatThrownBy(() -> new Snapshots(snapshots(), "log").find(0))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("mend that, or delete it");
  }
}
