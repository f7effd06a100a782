package dev.holdfast.edge.drain;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Spreads closes over a time. Each has an equal slice of it and a random moment within the slice:
 * independent draws over the whole would leave a second with twice its share now and then, a fixed
 * step would let all edges of a deployment beat together.
 */
final class Spread {
  private Spread() {}

  /**
   * When each of {@code count} happens, in milliseconds from the start, ascending, each below
   * {@code overMs}.
   */
  static long[] moments(int count, long overMs, RandomGenerator random) {
    long[] moments = new long[count];
    for (int i = 0; i < count; i++) {
      moments[i] = (long) ((i + random.nextDouble()) * overMs / count);
    }
    return moments;
  }

  /** Puts the list into a random order. */
  static <T> void shuffle(List<T> list, RandomGenerator random) {
    for (int i = list.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      list.set(i, list.set(other, list.get(i)));
    }
  }
}
