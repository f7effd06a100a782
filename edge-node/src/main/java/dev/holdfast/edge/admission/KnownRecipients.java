package dev.holdfast.edge.admission;

/**
 * Whom one connection wrote to lately, as hashes in an array that grows with them up to 8 KiB; when
 * that is full it forgets all of them, which only makes them count as new once more. Runs under its
 * session's lock.
 */
final class KnownRecipients {
  private static final int FIRST_PLACES = 16;
  private static final int MOST_PLACES = 1_024;
  private static final long FREE = 0;

  private long[] places = new long[0];
  private int count;

  boolean has(String user) {
    return places.length > 0 && places[place(places, hash(user))] != FREE;
  }

  void add(String user) {
    if (2 * (count + 1) > places.length) {
      grow();
    }
    long hash = hash(user);
    int at = place(places, hash);
    if (places[at] == FREE) {
      places[at] = hash;
      count++;
    }
  }

  private void grow() {
    if (places.length == MOST_PLACES) {
      places = new long[FIRST_PLACES];
      count = 0;
      return;
    }
    long[] larger = new long[Math.max(FIRST_PLACES, 2 * places.length)];
    for (long hash : places) {
      if (hash != FREE) {
        larger[place(larger, hash)] = hash;
      }
    }
    places = larger;
  }

  /** Where the hash is, or the free place where it belongs. */
  private static int place(long[] places, long hash) {
    int at = (int) hash & (places.length - 1);
    while (places[at] != FREE && places[at] != hash) {
      at = (at + 1) & (places.length - 1);
    }
    return at;
  }

  private static long hash(String user) {
    long hash = Admission.userKey(user);
    return hash == FREE ? 1 : hash;
  }
}
