package dev.holdfast.edge.ingress;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The bytes on their way to each partition of events, from the offer to Kafka's acknowledgement.
 * The producer has one buffer for all partitions and blocks when it is full: a partition that is
 * away would fill it and stop the others. So each has its share, and what goes beyond is refused at
 * the door. The shares together are half of what the producer's buffer holds for them ({@link
 * ProducerSettings}), since a batch may be half empty. Thread-safe.
 */
final class PartitionBudget {
  private final AtomicLongArray outstanding;
  private final long share;

  /**
   * @param bytes for all partitions
   */
  PartitionBudget(int partitions, long bytes) {
    this.outstanding = new AtomicLongArray(partitions);
    this.share = Math.min(bytes / 4, bytes / partitions);
  }

  /**
   * Takes {@code bytes} for each of {@code records}, all or none.
   *
   * @param records each record's partition
   */
  boolean take(int[] records, long bytes) {
    int[] sorted = records.clone();
    Arrays.sort(sorted);
    int from = 0;
    while (from < sorted.length) {
      int to = from;
      while (to < sorted.length && sorted[to] == sorted[from]) {
        to++;
      }
      if (!takeOne(sorted[from], bytes * (to - from))) {
        for (int i = 0; i < from; i++) {
          release(sorted[i], bytes);
        }
        return false;
      }
      from = to;
    }
    return true;
  }

  /** Takes what is bounded elsewhere, room or not. */
  void force(int[] records, long bytes) {
    for (int partition : records) {
      outstanding.addAndGet(partition, bytes);
    }
  }

  /** One record is done with. */
  void release(int partition, long bytes) {
    outstanding.addAndGet(partition, -bytes);
  }

  /** Bytes on their way to a partition. */
  long outstanding(int partition) {
    return outstanding.get(partition);
  }

  /** What is larger than the share goes alone. */
  private boolean takeOne(int partition, long bytes) {
    long now = outstanding.get(partition);
    while (now == 0 || now + bytes <= share) {
      if (outstanding.compareAndSet(partition, now, now + bytes)) {
        return true;
      }
      now = outstanding.get(partition);
    }
    return false;
  }
}
