package dev.holdfast.bench;

import java.util.ArrayDeque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Who is still to connect, and how fast. For one thread. */
final class Arrivals {
  /** Who may come again, and when, in {@link System#nanoTime}. */
  private record Later(Listener who, long atNanos) {}

  private final ArrayDeque<Listener> waiting = new ArrayDeque<>();
  private final PriorityQueue<Later> later =
      new PriorityQueue<>((a, b) -> Long.signum(a.atNanos() - b.atNanos()));
  private long nanosEach;
  private long nextNanos;

  /**
   * These connect from now on.
   *
   * @param perSecond 0: as fast as it goes
   */
  void add(List<Listener.Wish> wishes, int perSecond) {
    nanosEach = perSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / perSecond;
    nextNanos = System.nanoTime();
    wishes.forEach(wish -> waiting.add(new Listener(wish)));
  }

  /** It was told to come again; it does so then or within a second, as the libraries do. */
  void addLater(Listener one, int seconds) {
    long told = TimeUnit.SECONDS.toNanos(seconds);
    long jitter = ThreadLocalRandom.current().nextLong(TimeUnit.SECONDS.toNanos(1));
    later.add(new Later(new Listener(one.wish), System.nanoTime() + told + jitter));
  }

  /** Who connects now; null: nobody yet. */
  @Nullable Listener next() {
    Later again = later.peek();
    if (again != null && again.atNanos() - System.nanoTime() <= 0) {
      later.remove();
      return again.who();
    }
    if (nanosEach > 0 && nextNanos - System.nanoTime() > 0) {
      return null;
    }
    nextNanos += nanosEach;
    return waiting.poll();
  }

  /** Milliseconds after which to ask again, at most. */
  long waitMs(long most) {
    return later.isEmpty() && (waiting.isEmpty() || nanosEach == 0) ? most : 1;
  }
}
