package dev.holdfast.testkit.it;

import dev.holdfast.testkit.process.Cluster;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The file of a partition that has one segment only, of a cluster's one broker. */
final class Segment {
  private final Path file;
  private final long size;

  private Segment(Path file, long size) {
    this.file = file;
    this.size = size;
  }

  /** As it is now. */
  static Segment of(Cluster cluster, String topic, int partition) throws IOException {
    Path dir;
    try (var found = Files.walk(cluster.dir().resolve("broker"))) {
      String name = topic + '-' + partition;
      dir = found.filter(p -> p.getFileName().toString().equals(name)).findFirst().orElseThrow();
    }
    Path file = dir.resolve("00000000000000000000.log");
    return new Segment(file, Files.size(file));
  }

  Path file() {
    return file;
  }

  /**
   * Takes away what was appended since, while no broker runs: as if one had become leader that
   * never had it. The next start of the broker is another leader epoch.
   */
  void cut() throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      if (channel.size() <= size) {
        throw new IllegalStateException("nothing was appended to " + file);
      }
      channel.truncate(size);
    }
  }
}
