package dev.holdfast.client.net;

import dev.holdfast.client.port.Timers;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Timers on one daemon thread, which only passes them on. */
public final class SystemTimers implements Timers {
  private final ScheduledThreadPoolExecutor thread;

  public SystemTimers() {
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread made = new Thread(work, "holdfast-timers");
              made.setDaemon(true);
              return made;
            });
    thread.setRemoveOnCancelPolicy(true);
    thread.setKeepAliveTime(10, TimeUnit.SECONDS);
    thread.allowCoreThreadTimeOut(true);
  }

  @Override
  public Handle schedule(long delayMs, Runnable task) {
    Future<?> future = thread.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    return () -> future.cancel(false);
  }
}
