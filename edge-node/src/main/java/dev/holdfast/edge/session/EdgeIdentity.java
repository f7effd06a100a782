package dev.holdfast.edge.session;

import dev.holdfast.record.EdgeRef;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Who this edge is: its lasting id and partition, and an incarnation that is new at each start and
 * whenever the edge may have missed deliveries (D7). Thread-safe.
 */
public final class EdgeIdentity {
  private static final int RANDOM_CHARS = 5;

  private final RandomGenerator random;
  private final AtomicLong connections = new AtomicLong();
  private volatile EdgeRef current;

  /**
   * @param partition the edge's partition of {@code holdfast.deliveries}
   * @param nowMs milliseconds since 1970
   */
  public EdgeIdentity(String edgeId, int partition, long nowMs, RandomGenerator random) {
    this.random = random;
    this.current = new EdgeRef(edgeId, incarnation(nowMs, random), partition);
  }

  /** The edge as deliveries address it now. */
  public EdgeRef current() {
    return current;
  }

  /** Takes a new incarnation; deliveries for the old one are no longer ours. */
  public EdgeRef renew(long nowMs) {
    EdgeRef old = current;
    EdgeRef next = new EdgeRef(old.id(), incarnation(nowMs, random), old.partition());
    current = next;
    return next;
  }

  /** A connection id that no edge gave before: the incarnation and a counter, in base 36. */
  public String nextConnId() {
    return current.incarnation() + '-' + Long.toString(connections.incrementAndGet(), 36);
  }

  private static String incarnation(long nowMs, RandomGenerator random) {
    StringBuilder text = new StringBuilder(Long.toString(nowMs, 36));
    for (int i = 0; i < RANDOM_CHARS; i++) {
      text.append(Character.forDigit(random.nextInt(36), 36));
    }
    return text.toString();
  }
}
