package dev.holdfast.edge.presence;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes what sessions and HTTP endpoints ask, in order, to the presence thread. Its queue is
 * bounded by what may be in it: watches have room reserved, which is given back only when their end
 * was taken from the queue, and lookups are counted.
 */
final class PresenceFront implements Presence {
  /** Something for the presence thread to do. */
  interface Task {
    void run(PresenceDesk desk, long nowMs);
  }

  private final PresenceConfig config;
  private final PresenceCounters counters;
  private final Runnable waker;
  private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger watches = new AtomicInteger();
  private final AtomicInteger lookups = new AtomicInteger();

  /**
   * @param waker wakes the presence thread
   */
  PresenceFront(PresenceConfig config, PresenceCounters counters, Runnable waker) {
    this.config = config;
    this.counters = counters;
    this.waker = waker;
  }

  @Override
  public PresenceConfig limits() {
    return config;
  }

  @Override
  public boolean reserve(int more) {
    if (watches.addAndGet(more) > config.nodeWatches()) {
      watches.addAndGet(-more);
      return false;
    }
    counters.watches = watches.get();
    return true;
  }

  /** So many watches ended. */
  void released(int fewer) {
    counters.watches = watches.addAndGet(-fewer);
  }

  @Override
  public void watch(List<Watch> some) {
    if (!some.isEmpty()) {
      post((desk, nowMs) -> desk.watch(some, nowMs));
    }
  }

  @Override
  public void unwatch(Collection<Watch> some) {
    if (!some.isEmpty()) {
      List<Watch> ended = new ArrayList<>(some);
      post((desk, nowMs) -> desk.unwatch(ended, nowMs));
    }
  }

  @Override
  public boolean lookup(String user, Consumer<@Nullable PresenceState> answer) {
    if (lookups.incrementAndGet() > config.lookups()) {
      lookups.decrementAndGet();
      return false;
    }
    Consumer<@Nullable PresenceState> counted =
        state -> {
          lookups.decrementAndGet();
          answer.accept(state);
        };
    post((desk, nowMs) -> desk.lookup(user, counted, nowMs));
    return true;
  }

  /** Has the presence thread do this. */
  void post(Task task) {
    tasks.add(task);
    waker.run();
  }

  boolean isEmpty() {
    return tasks.isEmpty();
  }

  /** Does what waits. On the presence thread. */
  void work(PresenceDesk desk, long nowMs) {
    for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run(desk, nowMs);
    }
  }
}
