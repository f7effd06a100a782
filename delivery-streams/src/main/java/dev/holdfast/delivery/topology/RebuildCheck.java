package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.DeliveryConfig;
import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.state.Partition;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Utils;

/**
 * Compares the state of a running application, row by row, with one that is made anew from the log:
 * they must be the same, for the state is a function of the log (D2). Reads Kafka and writes
 * nothing to it; the application may go on meanwhile. One partition after the other, so that the
 * disk must hold two copies of the largest one only. For one thread.
 */
public final class RebuildCheck {
  /** Differing rows that are named of each partition. */
  static final int NAMED = 10;

  private final String bootstrap;
  private final Map<String, String> kafka;
  private final String application;
  private final Path dir;

  /**
   * @param kafka client properties
   * @param replica {@code a} or {@code b}, of the hot pair
   * @param dir where rows are kept meanwhile; must exist
   */
  public RebuildCheck(String bootstrap, Map<String, String> kafka, String replica, Path dir) {
    this.bootstrap = bootstrap;
    this.kafka = Map.copyOf(kafka);
    this.application = DeliveryConfig.applicationId(replica);
    this.dir = dir;
  }

  /**
   * What was found in one partition.
   *
   * @param checked false: the log does not begin at offset 0
   * @param offset both sides have all of the log below it; where {@code checked} is false, the
   *     log's first one
   * @param rows that either side has
   * @param differing how many of them are not the same
   * @param named the first of those, each with how it differs
   */
  public record Found(
      int partition, boolean checked, long offset, long rows, long differing, List<String> named) {

    /** Whether state and log are known to agree. */
    public boolean agrees() {
      return checked && differing == 0;
    }
  }

  /** The application that is compared. */
  public String application() {
    return application;
  }

  /**
   * Checks all partitions.
   *
   * @param each told of each partition as soon as it is done
   * @return whether all agree
   * @throws StartRefused when it cannot be done, with the reason
   */
  public boolean run(Consumer<Found> each) {
    Map<String, Object> props = new HashMap<>(kafka);
    props.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    try (Admin admin = Admin.create(props);
        CommittedReader reader = new CommittedReader(bootstrap, kafka)) {
      TopicDescription events = describe(admin, Topics.EVENTS.topic());
      describe(admin, DeliveryTopology.changelog(application));
      Cuts cuts = new Cuts(admin, application);
      boolean all = true;
      for (int p = 0; p < events.partitions().size(); p++) {
        Found found = new One(reader, cuts, events, p).check();
        each.accept(found);
        all &= found.agrees();
      }
      return all;
    } catch (DeliveryRules.UnknownRules | Partition.UnknownFormat e) {
      throw new StartRefused(String.valueOf(e.getMessage()), e);
    } catch (KafkaException e) {
      throw new StartRefused("Kafka at " + bootstrap + ": " + e.getMessage(), e);
    }
  }

  private TopicDescription describe(Admin admin, String topic) {
    try {
      TopicDescription found =
          admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
      if (found == null) {
        throw new StartRefused("topic " + topic + " is gone");
      }
      return found;
    } catch (ExecutionException e) {
      String why =
          e.getCause() instanceof UnknownTopicOrPartitionException
              ? "there is no topic " + topic + ": " + application + " never ran here"
              : "Kafka at " + bootstrap + " did not answer: " + StartRefused.said(e);
      throw new StartRefused(why, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefused("interrupted", e);
    }
  }

  /** One partition. */
  private final class One {
    private final CommittedReader reader;
    private final Cuts cuts;
    private final TopicDescription events;
    private final int partition;

    One(CommittedReader reader, Cuts cuts, TopicDescription events, int partition) {
      this.reader = reader;
      this.cuts = cuts;
      this.events = events;
      this.partition = partition;
    }

    Found check() {
      TopicPartition log = new TopicPartition(Topics.EVENTS.topic(), partition);
      long start = reader.start(log);
      if (start > 0) {
        return new Found(partition, false, start, 0, 0, List.of());
      }
      Path mine = dir.resolve("partition-" + partition);
      try (RocksRows running = new RocksRows(made(mine.resolve("running")));
          RocksRows rebuilt = new RocksRows(made(mine.resolve("rebuilt")))) {
        TopicPartition changelog =
            new TopicPartition(DeliveryTopology.changelog(application), partition);
        Cuts.Cut cut = cuts.find(partition, changelog);
        restore(changelog, cut.end(), running);
        return compare(log, cut, rebuilt, new RowDifferences(rebuilt, running));
      } finally {
        delete(mine);
      }
    }

    private void restore(TopicPartition changelog, long end, RocksRows rows) {
      reader.read(
          changelog,
          0,
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
     * there is one at which nothing differs.
     */
    private Found compare(
        TopicPartition log, Cuts.Cut cut, RocksRows rows, RowDifferences differences) {
      Rebuild rebuild =
          new Rebuild(rows, partition, events.partitions().size(), events.topicId().toString());
      reader.read(
          log,
          0,
          cut.least(),
          record -> {
            rebuild.apply(record);
            return true;
          });
      differences.compareAll();
      Found[] fewest = {found(cut.least(), differences)};
      if (differences.count() > 0 && differences.complete() && cut.least() < cut.most()) {
        rebuild.note();
        reader.read(
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

    private Found found(long offset, RowDifferences differences) {
      List<String> named = new ArrayList<>();
      differences.tell(NAMED, (row, how) -> named.add(row + " " + how));
      return new Found(partition, true, offset, differences.rows(), differences.count(), named);
    }
  }

  private static Path made(Path path) {
    try {
      Files.createDirectories(path.getParent());
      return path;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make " + path.getParent(), e);
    }
  }

  private static void delete(Path path) {
    try {
      Utils.delete(path.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + path + "; delete it by hand", e);
    }
  }
}
