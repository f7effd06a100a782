package dev.holdfast.edge.admission;

/** How many were refused lately: in this window of ten seconds and in the one before. */
final class Crowd {
  private static final long WINDOW_MS = 10_000;

  private long windowStartMs;
  private int before;
  private int now;

  /** Counts one; returns how many were refused lately. */
  synchronized int add(long nowMs) {
    long age = nowMs - windowStartMs;
    if (age >= WINDOW_MS || age < 0) {
      before = age < 2 * WINDOW_MS ? now : 0;
      now = 0;
      windowStartMs = nowMs;
    }
    now++;
    return before + now;
  }
}
