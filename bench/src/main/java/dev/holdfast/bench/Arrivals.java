package dev.holdfast.bench;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Who is still to connect, and how fast. For one thread. */
final class Arrivals {
  private final ArrayDeque<Listener> waiting = new ArrayDeque<>();
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

  /** Who connects now; null: nobody yet. */
  @Nullable Listener next() {
    if (nanosEach > 0 && nextNanos - System.nanoTime() > 0) {
      return null;
    }
    nextNanos += nanosEach;
    return waiting.poll();
  }

  /** Milliseconds after which to ask again, at most. */
  long waitMs(long most) {
    return waiting.isEmpty() || nanosEach == 0 ? most : 1;
  }
}
