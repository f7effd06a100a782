package dev.holdfast.bench;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

/** Calls at a steady rate. A call that comes late still has the moment it was due. */
final class Pace {
  /** One call; {@code dueNanos} is in {@link System#nanoTime}. */
  interface Step {
    void at(long n, long dueNanos);
  }

  private Pace() {}

  static void run(int perSecond, int seconds, Step step) {
    run(perSecond, (long) perSecond * seconds, step);
  }

  static void run(double perSecond, long count, Step step) {
    until(perSecond, n -> n == count, step);
  }

  /** Goes on until it is over, which is asked before each call. */
  static void until(double perSecond, LongPredicate over, Step step) {
    long start = System.nanoTime() + 50_000_000L;
    for (long n = 0; !over.test(n); n++) {
      long due = start + (long) (n * 1e9 / perSecond);
      long wait = due - System.nanoTime();
      while (wait > 0) {
        LockSupport.parkNanos(Math.min(wait, 200_000));
        wait = due - System.nanoTime();
      }
      step.at(n, due);
    }
  }
}
