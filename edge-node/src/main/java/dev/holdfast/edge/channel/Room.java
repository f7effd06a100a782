package dev.holdfast.edge.channel;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory an edge has for what it keeps of all its channels' partitions together. Bounds of
 * one partition do not do: how many are followed is up to whoever subscribes. Three quarters are
 * for newest values, without which a partition of mode {@code latest} cannot be served; the rest is
 * for message ids, by which repeats are known, and what these leave of it for tails, which are only
 * a cache and shrink. Ids that take more than their part take it from the newest values.
 * Thread-safe.
 */
final class Room {
  private final long valueBytes;
  private final long tailBytes;
  private final AtomicLong values = new AtomicLong();
  private final AtomicLong ids = new AtomicLong();
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
    long beyond = Math.max(0, ids.get() - tailBytes);
    return values.get() + beyond > (newcomer ? valueBytes / 8 * 7 : valueBytes);
  }

  /** Message ids take more, or less. */
  void ids(long more) {
    ids.addAndGet(more);
  }

  /**
   * Whether ids take so much that there is nothing left for more.
   *
   * @param newcomer as in {@link #full}
   */
  boolean crowded(boolean newcomer) {
    return ids.get() > tailBytes && full(newcomer);
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
    long left = Math.max(0, tailBytes - ids.get());
    return tails.get() <= left ? most : Math.min(most, left / Math.max(1, tailCount.get()));
  }

  /** Estimated bytes that are kept. Any thread. */
  long bytes() {
    return values.get() + ids.get() + tails.get();
  }
}
