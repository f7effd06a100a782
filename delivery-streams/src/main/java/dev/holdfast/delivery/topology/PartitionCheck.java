package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.rules.LastChange;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.topology.RebuildCheck.Found;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** {@link RebuildCheck} of one partition. For one thread. */
final class PartitionCheck {
  /**
   * What all partitions share.
   *
   * @param topicId of the log
   * @param partitions of the log
   * @param snapshots null where none are kept
   * @param instance data directory of an instance that does not run, whose rows are compared rather
   *     than those in the changelog; null: those
   * @param dir where rows are kept meanwhile
   */
  record Around(
      CommittedReader reader,
      Cuts cuts,
      String application,
      String topicId,
      int partitions,
      @Nullable Snapshots snapshots,
      @Nullable Path instance,
      Path dir) {}

  private final Around around;
  private final int partition;
  private final TopicPartition log;
  private final TopicPartition changelog;
  private final @Nullable Snapshots snapshots;

  PartitionCheck(Around around, int partition) {
    this.around = around;
    this.partition = partition;
    this.log = new TopicPartition(Topics.EVENTS.topic(), partition);
    this.changelog =
        new TopicPartition(DeliveryTopology.changelog(around.application()), partition);
    this.snapshots = around.snapshots();
  }

  Found check() {
    long start = around.reader().start(log);
    Snapshot from = snapshots == null ? null : snapshots.find(partition);
    Path mine = around.dir().resolve("partition-" + partition);
    try {
      Files.createDirectories(mine);
      return start > (from == null ? 0 : from.offset())
          ? begin(mine, start, from)
          : compare(mine, from);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make " + mine, e);
    } finally {
      delete(mine);
    }
  }

  /** The log lacks what would be needed; from the state as it is now on it may not. */
  private Found begin(Path mine, long start, @Nullable Snapshot old) {
    Found.Lack lack = new Found.Lack(start, old == null ? -1 : old.offset());
    if (snapshots == null) {
      return Found.lacks(partition, lack, -1);
    }
    Cuts.Cut cut = around.cuts().find(partition, changelog);
    try (RocksRows running = new RocksRows(mine.resolve("running"))) {
      restore(0, cut.end(), running);
      running.delete(Keys.quiet()); // the one row that the log does not decide
      long place = Math.max(cut.least(), LastChange.offset(running) + 1);
      if (place > cut.most()) {
        throw new StartRefused(
            "the rows of partition "
                + partition
                + " have offset "
                + (place - 1)
                + " of the log, but "
                + around.application()
                + " says that it is at "
                + cut.most()
                + ": state and log contradict each other");
      }
      snapshots.keep(partition, running, place, place);
      return Found.lacks(partition, lack, place);
    }
  }

  private Found compare(Path mine, @Nullable Snapshot from) {
    try (RocksRows running = new RocksRows(mine.resolve("running"));
        RocksRows rebuilt = base(mine.resolve("rebuilt"), from)) {
      Cuts.Cut cut = around.cuts().find(partition, changelog);
      long begin = from == null ? 0 : from.offset();
      if (begin > cut.least()) {
        throw new StartRefused(
            "the snapshot of partition "
                + partition
                + " has the log up to offset "
                + begin
                + ", but "
                + around.application()
                + " is at "
                + cut.least()
                + ": its place was moved back, or it is another application's");
      }
      restore(own(running, cut.end()), cut.end(), running);
      Found found = compare(begin, cut, rebuilt, new RowDifferences(rebuilt, running));
      long trusted = from == null ? 0 : from.trusted();
      if (snapshots != null && found.agrees()) {
        snapshots.keep(partition, rebuilt, found.offset(), trusted);
      }
      return found.since(begin, trusted);
    }
  }

  private static RocksRows base(Path dir, @Nullable Snapshot from) {
    if (from == null) {
      return new RocksRows(dir);
    }
    try (RocksRows kept = RocksRows.opened(from.rows())) {
      kept.copyTo(dir);
    }
    return RocksRows.opened(dir);
  }

  /** Takes an instance's own rows, if those are compared; from where on the changelog has more. */
  private long own(RocksRows running, long end) {
    if (around.instance() == null) {
      return 0;
    }
    LocalStore store = new LocalStore(around.instance(), around.application(), partition);
    long next = store.copyTo(running, changelog);
    if (next > end) {
      throw new StartRefused(
          "the store of partition "
              + partition
              + " in "
              + around.instance()
              + " has "
              + changelog
              + " up to offset "
              + next
              + ", but that ends at "
              + end
              + ": it is another cluster's, or the changelog was made anew");
    }
    return next;
  }

  private void restore(long from, long end, RocksRows rows) {
    around
        .reader()
        .read(
            changelog,
            from,
            end,
            record -> {
              if (record.value() == null) {
                rows.delete(record.key());
              } else {
                rows.put(record.key(), record.value());
              }
              return true;
            });
  }

  /**
   * The application's place is known to be one from {@code least} to {@code most}: it agrees if
   * there is one at which nothing differs, and then the rebuild stands there.
   */
  private Found compare(long begin, Cuts.Cut cut, RocksRows rows, RowDifferences differences) {
    Rebuild rebuild = new Rebuild(rows, partition, around.partitions(), around.topicId());
    around.reader().readWhole(log, begin, cut.least(), record -> applied(rebuild, record));
    differences.compareAll();
    Found[] fewest = {found(cut.least(), differences)};
    if (differences.count() > 0 && differences.complete() && cut.least() < cut.most()) {
      rebuild.note();
      around
          .reader()
          .readWhole(
              log,
              cut.least(),
              cut.most(),
              record -> {
                rebuild.apply(record);
                differences.compareAgain(rebuild.written());
                if (differences.count() < fewest[0].differing()) {
                  fewest[0] = found(record.offset() + 1, differences);
                }
                return fewest[0].differing() > 0;
              });
    }
    return fewest[0];
  }

  private static boolean applied(Rebuild rebuild, ConsumerRecord<byte[], byte[]> record) {
    rebuild.apply(record);
    return true;
  }

  private Found found(long offset, RowDifferences differences) {
    List<String> named = new ArrayList<>();
    differences.tell(RebuildCheck.NAMED, (row, how) -> named.add(row + " " + how));
    return Found.compared(partition, offset, differences.rows(), differences.count(), named);
  }

  private static void delete(Path path) {
    try {
      Utils.delete(path.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + path + "; delete it by hand", e);
    }
  }
}
