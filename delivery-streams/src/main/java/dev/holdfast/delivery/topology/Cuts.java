package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.topic.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Where a running application's state and its place in the log belong together.
 *
 * <p>How this works. The application commits rows (its changelog) and place (its group's offset) in
 * one transaction, but they lie in two partitions, which get the end of the transaction one after
 * the other. So, in this order: the place, {@code least}; how far the changelog is written; its
 * committed end, once that has passed what was written; the place again, {@code most}. Whatever the
 * first place covers was written before and is committed in that end; and a transaction that is
 * committed there makes the second place wait for it. The changelog up to that end is therefore the
 * state at one place from {@code least} to {@code most}, and where nothing is applied meanwhile the
 * two are the same.
 */
final class Cuts {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long PAUSE_MS = 50;

  private final Admin admin;
  private final String group;

  Cuts(Admin admin, String group) {
    this.admin = admin;
    this.group = group;
  }

  /**
   * A state and its place.
   *
   * @param end of the changelog
   * @param least the state has all of the log below this offset
   * @param most and nothing from this one on
   */
  record Cut(long end, long least, long most) {}

  /**
   * Finds one for a partition, or waits for one.
   *
   * @throws StartRefused when there is none
   */
  Cut find(int partition, TopicPartition changelog) {
    try {
      long least = place(partition);
      long written = end(changelog, IsolationLevel.READ_UNCOMMITTED);
      long end = end(changelog, IsolationLevel.READ_COMMITTED);
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (end < written) {
        if (System.nanoTime() > deadline) {
          throw new StartRefused(
              "a transaction on "
                  + changelog
                  + " does not end; see docs/operations.md, Failover, and run the same command"
                  + " again");
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        end = end(changelog, IsolationLevel.READ_COMMITTED);
      }
      return new Cut(end, least, place(partition));
    } catch (ExecutionException e) {
      throw new StartRefused(
          "Kafka did not tell how far " + group + " is: " + StartRefused.said(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefused("interrupted", e);
    }
  }

  private long place(int partition) throws ExecutionException, InterruptedException {
    TopicPartition log = new TopicPartition(Topics.EVENTS.topic(), partition);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Map<TopicPartition, OffsetAndMetadata> places = places(log);
    // Kafka leaves a place out while a transaction that moves it is being ended.
    while (!places.containsKey(log) && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
      places = places(log);
    }
    @Nullable OffsetAndMetadata at = places.get(log);
    if (at == null) {
      throw new StartRefused(
          places.containsKey(log)
              ? group
                  + " has no place in partition "
                  + partition
                  + " of "
                  + Topics.EVENTS.topic()
                  + ": it never ran here; is --replica right?"
              : "a transaction of "
                  + group
                  + " does not end; see docs/operations.md, Failover, and run the same command"
                  + " again");
    }
    return at.offset();
  }

  private Map<TopicPartition, OffsetAndMetadata> places(TopicPartition log)
      throws ExecutionException, InterruptedException {
    ListConsumerGroupOffsetsSpec one =
        new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(log));
    return admin
        .listConsumerGroupOffsets(
            Map.of(group, one), new ListConsumerGroupOffsetsOptions().requireStable(true))
        .partitionsToOffsetAndMetadata(group)
        .get();
  }

  private long end(TopicPartition tp, IsolationLevel isolation)
      throws ExecutionException, InterruptedException {
    return admin
        .listOffsets(Map.of(tp, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
        .partitionResult(tp)
        .get()
        .offset();
  }
}
