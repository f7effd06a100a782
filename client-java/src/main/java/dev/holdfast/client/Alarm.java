package dev.holdfast.client;

import dev.holdfast.client.port.Timers;
import org.jspecify.annotations.Nullable;

/** One timer at a time, whose task runs on the loop. Used on the loop only. */
final class Alarm {
  private final Env env;
  private Timers.@Nullable Handle handle;
  private long generation;
  private long dueTick;
  private long dueWall;

  Alarm(Env env) {
    this.env = env;
  }

  /** Runs the task after {@code delayMs}; what was set before is off. */
  void set(long delayMs, Runnable task) {
    cancel();
    long mine = generation;
    dueTick = env.tick() + delayMs;
    dueWall = env.now() + delayMs;
    handle = env.timers().schedule(delayMs, () -> env.loop().execute(() -> ring(mine, task)));
  }

  private void ring(long mine, Runnable task) {
    if (mine == generation && handle != null) {
      handle = null;
      task.run();
    }
  }

  void cancel() {
    generation++;
    if (handle != null) {
      handle.cancel();
      handle = null;
    }
  }

  boolean isSet() {
    return handle != null;
  }

  /**
   * In the task: how much too late it runs, in ms, by whichever clock says more. One of them stands
   * still while the machine sleeps.
   */
  long lateMs() {
    return Math.max(env.tick() - dueTick, env.now() - dueWall);
  }
}
