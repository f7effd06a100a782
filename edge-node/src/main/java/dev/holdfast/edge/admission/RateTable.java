package dev.holdfast.edge.admission;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * One bucket for each of many keys, in arrays whose size is fixed at the start: 16 bytes a place.
 * Each key has eight places that it may lie in; where all are taken, the one that has been idle for
 * longest gives way, which forgets the least. Whoever comes with many addresses therefore never
 * makes it grow, only forgetful; the limit of the whole node then holds. Where keys go depends on a
 * number drawn at the start, so nobody can aim at another's places. Thread-safe; asked once a
 * handshake, and for new recipients.
 */
final class RateTable {
  private static final int WAYS = 8;

  private final Gcra rate;
  private final long seed;
  private final int sets;
  private final long[] keys;
  private final long[] states;

  /**
   * @param places keys remembered at once; a power of two, at least 8
   */
  RateTable(Rate rate, int places, RandomGenerator random) {
    this.rate = new Gcra(rate);
    this.seed = random.nextLong();
    this.sets = places / WAYS;
    if (Integer.bitCount(places) != 1 || sets < 1) {
      throw new IllegalArgumentException("places must be a power of two from 8, not " + places);
    }
    this.keys = new long[places];
    this.states = new long[places];
    Arrays.fill(states, Gcra.UNUSED);
  }

  /**
   * Takes tokens of the key's bucket.
   *
   * @return 0, or the milliseconds until they are there; nothing was taken then
   */
  synchronized long take(long key, long nowMs, int tokens) {
    if (rate.isOff()) {
      return 0;
    }
    long now = nowMs * Gcra.NANOS_PER_MS;
    int at = place(key);
    long wait = rate.waitNanos(states[at], now, tokens);
    if (wait == 0) {
      states[at] = rate.spend(states[at], now, tokens);
    }
    return Gcra.toMs(wait);
  }

  private int place(long key) {
    int first = (int) (mix(key ^ seed) & (sets - 1)) * WAYS;
    int idlest = first;
    for (int at = first; at < first + WAYS; at++) {
      if (states[at] != Gcra.UNUSED && keys[at] == key) {
        return at;
      }
      if (states[at] < states[idlest]) {
        idlest = at;
      }
    }
    keys[idlest] = key;
    states[idlest] = Gcra.UNUSED;
    return idlest;
  }

  /** Scrambles the bits (the finaliser of splitmix64). */
  static long mix(long bits) {
    long z = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
