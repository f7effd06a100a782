package dev.holdfast.edge.channel;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What one thread is asked to do by others, in the order of asking. It does that in small portions
 * between reads, so that ten thousand who come back at once do not hold up what is live.
 */
final class Tasks {
  /** Nanoseconds of a portion. */
  private static final long PORTION_NANOS = 2_000_000;

  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  /** Asks for one. Any thread. */
  void add(Runnable task) {
    waiting.add(task);
  }

  /** Does a portion; returns whether more waits. */
  boolean perform() {
    long until = System.nanoTime() + PORTION_NANOS;
    Runnable task = waiting.poll();
    while (task != null) {
      task.run();
      if (System.nanoTime() - until > 0) {
        return true;
      }
      task = waiting.poll();
    }
    return false;
  }
}
