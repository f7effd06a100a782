package dev.holdfast.edge.session;

/** Runs a task after a delay; the simulator brings its own. */
@FunctionalInterface
public interface Later {
  /**
   * @param task short and non-blocking
   */
  void run(long delayMs, Runnable task);
}
