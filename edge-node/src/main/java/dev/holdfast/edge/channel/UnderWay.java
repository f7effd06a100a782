package dev.holdfast.edge.channel;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Events on their way to one topic, and by how many partitions they were told where to go. When the
 * topic has more of them nothing goes by the new number while anything is on its way by the old
 * one: that may have to be written again where its channel lies now, and would come behind what its
 * sender wrote later. Thread-safe, and one word, so that neither the number nor what was broken off
 * can change between the look at it and the count.
 */
final class UnderWay {
  private static final int PARTITIONS = 32;
  private static final long BROKEN = 1L << 31;
  private static final long COUNT = BROKEN - 1;

  /** From the highest bit on: partitions, whether broken off, how many there are. */
  private final AtomicLong state = new AtomicLong();

  /**
   * One more, unless it has to wait.
   *
   * @param partitions by which it is to be sent, 1 or more
   * @return false when others are under way by another number
   */
  boolean begin(int partitions) {
    while (true) {
      long now = state.get();
      boolean same = (int) (now >>> PARTITIONS) == partitions;
      if (!same && count(now) > 0) {
        return false;
      }
      long next = same ? now + 1 : ((long) partitions << PARTITIONS) + 1;
      if (state.compareAndSet(now, next)) {
        return true;
      }
    }
  }

  /**
   * One that had to be written again was not: those behind it must not be either, or they would
   * come before it. Holds until others go by another number.
   */
  void breakOff() {
    long unused = state.updateAndGet(now -> now | BROKEN);
  }

  /** Whether {@link #breakOff} was said of one that is under way by the same number. */
  boolean broken() {
    return (state.get() & BROKEN) != 0;
  }

  /** One less. */
  void end() {
    long unused = state.decrementAndGet();
  }

  /** How many there are. */
  int count() {
    return count(state.get());
  }

  private static int count(long state) {
    return (int) (state & COUNT);
  }
}
