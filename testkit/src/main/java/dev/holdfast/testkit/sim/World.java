package dev.holdfast.testkit.sim;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Mock time, the one source of chance, and what is still to happen. */
final class World {
  private static final long BEGIN = 1_700_000_000_000L;
  private static final int NOTES = 150;

  private record Item(long time, long order, Runnable task) {}

  final SplittableRandom random;
  private final PriorityQueue<Item> queue =
      new PriorityQueue<>(Comparator.comparingLong(Item::time).thenComparingLong(Item::order));
  private final Deque<Object[]> notes = new ArrayDeque<>(NOTES);
  private long now = BEGIN;
  private long orders;
  private boolean faults = true;

  World(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** Milliseconds since 1970, the same for everybody; who has a wrong clock adds to it. */
  long now() {
    return now;
  }

  /** Whether things still go wrong. */
  boolean faults() {
    return faults;
  }

  void faultsOff() {
    faults = false;
  }

  /** True once in {@code oneIn}, while things go wrong. */
  boolean fault(int oneIn) {
    return faults && oneIn > 0 && random.nextInt(oneIn) == 0;
  }

  boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  /** From {@code from} to {@code to}, both possible. */
  long between(long from, long to) {
    return from + random.nextLong(to - from + 1);
  }

  void after(long delayMs, Runnable task) {
    queue.add(new Item(now + delayMs, orders++, task));
  }

  /** Lets everything happen that is due within {@code ms}. */
  void run(long ms) {
    long until = now + ms;
    Item next = queue.peek();
    while (next != null && next.time() <= until) {
      queue.poll();
      now = next.time();
      next.task().run();
      next = queue.peek();
    }
    now = until;
  }

  /** Keeps what happened for a failure's report; made text only then. */
  void note(Object... what) {
    if (notes.size() == NOTES) {
      notes.removeFirst();
    }
    Object[] note = Arrays.copyOf(what, what.length + 1);
    note[what.length] = now;
    notes.addLast(note);
  }

  /** The last things that happened, a line each. */
  String story() {
    StringBuilder text = new StringBuilder();
    for (Object[] note : notes) {
      text.append("\n  ").append((long) note[note.length - 1] - BEGIN);
      for (int i = 0; i < note.length - 1; i++) {
        text.append(' ').append(note[i]);
      }
    }
    return text.toString();
  }
}
