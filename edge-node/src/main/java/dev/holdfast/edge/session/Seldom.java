package dev.holdfast.edge.session;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets a log line through at most once in a while, so that a flood of trouble is no flood of logs.
 */
public final class Seldom {
  private static final long INTERVAL_NANOS = 5_000_000_000L;

  private final AtomicLong next = new AtomicLong(System.nanoTime());

  /** Whether the line may be written now: at most once in 5 s. */
  public boolean now() {
    long now = System.nanoTime();
    long due = next.get();
    return now - due >= 0 && next.compareAndSet(due, now + INTERVAL_NANOS);
  }
}
