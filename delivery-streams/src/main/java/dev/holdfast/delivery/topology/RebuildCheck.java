package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.DeliveryConfig;
import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.state.Partition;
import dev.holdfast.topic.Topics;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Compares the state of a running application, row by row, with one that is made anew from the log:
 * they must be the same, for the state is a function of the log (D2). Reads Kafka and writes
 * nothing to it; the application may go on meanwhile. One partition after the other, so that the
 * disk must hold two copies of the largest one only. For one thread.
 *
 * <p>A log does not keep its beginning. So a check may leave behind what it has made where that
 * agreed, a snapshot with its offset, and begin there the next time: what is compared then still
 * comes of the log alone. Where there is neither, the application's own rows are the snapshot to
 * begin with, and every later check says up to which offset it took them on trust.
 */
public final class RebuildCheck {
  /** Differing rows that are named of each partition. */
  static final int NAMED = 10;

  private final String bootstrap;
  private final Map<String, String> kafka;
  private final String application;
  private final Path dir;
  private final @Nullable Path snapshots;
  private final @Nullable Path instance;

  /** As the other one, of what the application has committed to its changelog. */
  public RebuildCheck(
      String bootstrap,
      Map<String, String> kafka,
      String replica,
      Path dir,
      @Nullable Path snapshots) {
    this(bootstrap, kafka, replica, dir, snapshots, null);
  }

  /**
   * @param kafka client properties
   * @param replica {@code a} or {@code b}, of the hot pair
   * @param dir where rows are kept meanwhile; must exist
   * @param snapshots where rows are kept for the next check, and taken from; exists, and only one
   *     check at a time uses it. Null: none are
   * @param instance data directory of an instance, which does not run meanwhile: its own rows are
   *     compared, of the partitions that it has. Null: what is in the changelog
   */
  public RebuildCheck(
      String bootstrap,
      Map<String, String> kafka,
      String replica,
      Path dir,
      @Nullable Path snapshots,
      @Nullable Path instance) {
    this.bootstrap = bootstrap;
    this.kafka = Map.copyOf(kafka);
    this.application = DeliveryConfig.applicationId(replica);
    this.dir = dir;
    this.snapshots = snapshots;
    this.instance = instance;
  }

  /**
   * What was found in one partition.
   *
   * @param lack what kept it from being compared; null where it was
   * @param offset both sides have all of the log below it; where nothing was compared, the offset
   *     of the application's rows that are kept as a snapshot, or -1
   * @param rows that either side has
   * @param differing how many of them are not the same
   * @param named the first of those, each with how it differs
   * @param begin where the rebuild began: 0, or the offset of a snapshot
   * @param trusted what the log says below this offset was taken over from an application's rows
   *     some time, and is not checked
   */
  public record Found(
      int partition,
      @Nullable Lack lack,
      long offset,
      long rows,
      long differing,
      List<String> named,
      long begin,
      long trusted) {

    /**
     * Records are missing.
     *
     * @param start the first offset of the log
     * @param snapshot the offset of the snapshot, which is too old; -1 where there is none
     */
    public record Lack(long start, long snapshot) {}

    static Found lacks(int partition, Lack lack, long kept) {
      return new Found(partition, lack, kept, 0, 0, List.of(), 0, 0);
    }

    static Found compared(
        int partition, long offset, long rows, long differing, List<String> named) {
      return new Found(partition, null, offset, rows, differing, named, 0, 0);
    }

    Found since(long from, long unchecked) {
      return new Found(partition, lack, offset, rows, differing, named, from, unchecked);
    }

    /** Whether state and log are known to agree. */
    public boolean agrees() {
      return lack == null && differing == 0;
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
      PartitionCheck.Around around = around(admin, reader, events);
      boolean all = true;
      for (int p : partitions(events.partitions().size())) {
        Found found = new PartitionCheck(around, p).check();
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

  private List<Integer> partitions(int count) {
    Path data = instance;
    List<Integer> all =
        IntStream.range(0, count)
            .filter(p -> data == null || new LocalStore(data, application, p).exists())
            .boxed()
            .toList();
    if (all.isEmpty()) {
      throw new StartRefused("there are no rows of " + application + " in " + data);
    }
    return all;
  }

  private PartitionCheck.Around around(
      Admin admin, CommittedReader reader, TopicDescription events) {
    String topicId = events.topicId().toString();
    return new PartitionCheck.Around(
        reader,
        new Cuts(admin, application),
        application,
        topicId,
        events.partitions().size(),
        snapshots == null ? null : new Snapshots(snapshots, topicId),
        instance,
        dir);
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
}
