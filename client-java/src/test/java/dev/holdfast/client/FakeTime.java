package dev.holdfast.client;

import dev.holdfast.client.port.Clock;
import dev.holdfast.client.port.Timers;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Time that passes only when a test says so: everything that happens later is an entry of one
 * queue, in order of its time. Tasks of the client run after each entry until none is left.
 */
final class FakeTime implements Clock {
  private record Entry(long at, long order, Runnable what, AtomicBoolean off)
      implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private long tick;
  private long wall;
  private long orders;

  FakeTime(long wall) {
    this.wall = wall;
  }

  @Override
  public long wallMs() {
    return wall;
  }

  @Override
  public long tickMs() {
    return tick;
  }

  /** Somebody sets the wall clock. */
  void jump(long ms) {
    wall += ms;
  }

  /** The process stands still: both clocks go on, and timers are late. */
  void sleep(long ms) {
    wall += ms;
    tick += ms;
  }

  /** Runs soon, after what waits already: for a client's loop. */
  void soon(Runnable task) {
    tasks.add(task);
  }

  /** Runs at a time; the result calls it off. */
  Timers.Handle later(long delayMs, Runnable what) {
    AtomicBoolean off = new AtomicBoolean();
    entries.add(new Entry(tick + Math.max(0, delayMs), orders++, what, off));
    return () -> off.set(true);
  }

  /** Runs all that can run now. */
  void settle() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /** Lets time pass, entry by entry. */
  void pass(long ms) {
    long until = tick + ms;
    settle();
    while (next(until)) {
      settle();
    }
    wall += Math.max(0, until - tick);
    tick = Math.max(tick, until);
  }

  private boolean next(long until) {
    Entry entry = entries.peek();
    if (entry == null || entry.at > until) {
      return false;
    }
    entries.remove();
    if (!entry.off.get()) {
      long passed = Math.max(0, entry.at - tick);
      tick += passed;
      wall += passed;
      entry.what.run();
    }
    return true;
  }
}
