package dev.holdfast.edge.socket;

import java.util.concurrent.atomic.AtomicLong;

/** The bytes that wait on this edge for all its connections together (D12). Thread-safe. */
final class NodeBudget {
  private final long most;
  private final AtomicLong used = new AtomicLong();

  NodeBudget(long most) {
    this.most = most;
  }

  /** Takes {@code bytes} if they fit. */
  boolean take(long bytes) {
    if (used.addAndGet(bytes) <= most) {
      return true;
    }
    used.addAndGet(-bytes);
    return false;
  }

  /** Gives back what was taken. */
  void release(long bytes) {
    used.addAndGet(-bytes);
  }

  /** Bytes that are taken. */
  long used() {
    return used.get();
  }
}
