package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.NavigableMap;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * What checks keep for the next one: of each partition the rows at one offset, in a directory
 * {@code partition-P-offset-N} with the rows and a file that says what they are. One that is half
 * made has another name, so a crash leaves the one before. For one thread and one process.
 */
final class Snapshots {
  private static final String ROWS = "rows";
  private static final String ABOUT = "snapshot.properties";

  private final Path dir;
  private final String topicId;

  /**
   * @param dir exists, and nobody else uses it meanwhile
   * @param topicId of the log
   */
  Snapshots(Path dir, String topicId) {
    this.dir = dir;
    this.topicId = topicId;
  }

  /**
   * The newest of a partition, or null when there is none.
   *
   * @throws StartRefused when it is of another log, or cannot be read
   */
  @Nullable Snapshot find(int partition) {
    List<Path> all = of(partition); // of several only the newest is whole for sure
    return all.isEmpty() ? null : read(all.get(all.size() - 1));
  }

  private Snapshot read(Path from) {
    Properties about = new Properties();
    try (Reader in = Files.newBufferedReader(from.resolve(ABOUT))) {
      about.load(in);
      if (!topicId.equals(about.getProperty("log"))) {
        throw new StartRefused(
            from
                + " is of another log, with the topic id "
                + about.getProperty("log")
                + "; this one has "
                + topicId
                + ": give another directory");
      }
      return new Snapshot(
          from.resolve(ROWS),
          Long.parseLong(about.getProperty("offset")),
          Long.parseLong(about.getProperty("trusted")));
    } catch (IOException | NumberFormatException e) {
      throw new StartRefused(
          "cannot read the snapshot " + from + ": " + e + "; mend that, or delete it", e);
    }
  }

  /**
   * Keeps rows, and none of those of this partition that were kept before.
   *
   * @param offset the rows have all of the log below it
   * @param trusted see {@link Snapshot#trusted}
   */
  void keep(int partition, RocksRows rows, long offset, long trusted) {
    Path made = dir.resolve("unfinished-" + partition);
    Path kept = dir.resolve(prefix(partition) + offset);
    List<Path> former = of(partition);
    if (former.contains(kept)) {
      return; // nothing came since
    }
    try {
      Utils.delete(made.toFile());
      Files.createDirectory(made);
      rows.copyTo(made.resolve(ROWS));
      write(made.resolve(ABOUT), offset, trusted);
      Files.move(made, kept, StandardCopyOption.ATOMIC_MOVE);
      for (Path each : former) {
        Utils.delete(each.toFile());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep a snapshot in " + dir, e);
    }
  }

  private void write(Path file, long offset, long trusted) throws IOException {
    Properties about = new Properties();
    about.setProperty("log", topicId);
    about.setProperty("offset", Long.toString(offset));
    about.setProperty("trusted", Long.toString(trusted));
    try (Writer out = Files.newBufferedWriter(file)) {
      about.store(out, null);
    }
    try (FileChannel written = FileChannel.open(file, StandardOpenOption.WRITE)) {
      written.force(true);
    }
  }

  /** All of a partition, by their offsets. */
  private List<Path> of(int partition) {
    Pattern name = Pattern.compile(Pattern.quote(prefix(partition)) + "([0-9]{1,18})");
    NavigableMap<Long, Path> found = new TreeMap<>();
    try (Stream<Path> all = Files.list(dir)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        Matcher is = name.matcher(each.getFileName().toString());
        if (is.matches()) {
          found.put(Long.parseLong(is.group(1)), each);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + dir, e);
    }
    return List.copyOf(found.values());
  }

  private static String prefix(int partition) {
    return "partition-" + partition + "-offset-";
  }
}
