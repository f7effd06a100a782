package dev.holdfast.edge.socket;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What answers that are large may take on this node together, each from the question until it has
 * gone out to its client, who may be slow to read it. Thread-safe.
 */
final class AnswerRoom {
  private final int most;
  private final NodeBudget bytes;
  private final AtomicInteger places = new AtomicInteger();

  /**
   * @param most answers under way at once
   * @param mostBytes their bytes together
   */
  AnswerRoom(int most, long mostBytes) {
    this.most = most;
    this.bytes = new NodeBudget(mostBytes);
  }

  /** Bytes that answers under way hold. */
  long used() {
    return bytes.used();
  }

  /**
   * Takes a place for an answer.
   *
   * @param atMost bytes that it may have
   * @return null: there is no room now
   */
  @Nullable Place take(long atMost) {
    if (places.incrementAndGet() > most || !bytes.take(atMost)) {
      places.decrementAndGet();
      return null;
    }
    return new Place(atMost);
  }

  /** One answer's place. */
  final class Place {
    private long held;
    private boolean taken = true;

    private Place(long held) {
      this.held = held;
    }

    /** The answer is known now, and has so many bytes. */
    synchronized void shrink(long actual) {
      if (taken && actual < held) {
        bytes.release(held - actual);
        held = actual;
      }
    }

    /** Gives the place back. Again: changes nothing. */
    synchronized void close() {
      if (taken) {
        taken = false;
        bytes.release(held);
        places.decrementAndGet();
      }
    }
  }
}
