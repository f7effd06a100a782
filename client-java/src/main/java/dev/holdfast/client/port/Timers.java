package dev.holdfast.client.port;

/** Calls back later. */
public interface Timers {
  /** Runs {@code task} once, on any thread, after {@code delayMs} or later. */
  Handle schedule(long delayMs, Runnable task);

  /** One that was scheduled. */
  interface Handle {
    /** It will not run, unless it runs already. Calling it again does nothing. */
    void cancel();
  }
}
