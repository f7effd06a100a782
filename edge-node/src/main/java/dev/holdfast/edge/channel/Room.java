package dev.holdfast.edge.channel;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory an edge has for what it keeps of all its channels' partitions together. Bounds of
 * one partition do not do: how many are followed is up to whoever subscribes. Three quarters are
 * for newest values, without which a partition of mode {@code latest} cannot be served; the rest is
 * for tails, which are only a cache and shrink. Thread-safe.
 */
final class Room {
  private final long valueBytes;
  private final long tailBytes;
  private final AtomicLong values = new AtomicLong();
  private final AtomicLong tails = new AtomicLong();
  private final AtomicInteger tailCount = new AtomicInteger();

  /**
   * @param bytes estimated bytes in all
   */
  Room(long bytes) {
    this.tailBytes = bytes / 4;
    this.valueBytes = bytes - tailBytes;
  }

  /** Newest values take more, or less. */
  void values(long more) {
    values.addAndGet(more);
  }

  /**
   * Whether newest values take more than there is.
   *
   * @param newcomer for a partition that is not followed yet; it leaves some room to those that
   *     are, so that it does not end them
   */
  boolean full(boolean newcomer) {
    return values.get() > (newcomer ? valueBytes / 8 * 7 : valueBytes);
  }

  /** There is one more tail, or one less. */
  void tailCount(int more) {
    tailCount.addAndGet(more);
  }

  /** Tails take more, or less. */
  void tails(long more) {
    tails.addAndGet(more);
  }

  /** Most bytes of one tail, of which {@code most} are wanted. */
  long share(long most) {
    return tails.get() <= tailBytes ? most : Math.min(most, tailBytes / Math.max(1, tailCount()));
  }

  private int tailCount() {
    return tailCount.get();
  }

  /** Estimated bytes that are kept. Any thread. */
  long bytes() {
    return values.get() + tails.get();
  }
}
