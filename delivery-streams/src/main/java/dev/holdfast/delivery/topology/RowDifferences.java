package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.state.KeyNames;
import dev.holdfast.delivery.state.Keys;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksIterator;

/**
 * In which rows a rebuild and a running application differ. The first {@link #MOST} are kept by
 * key, so that it can be said of each later step whether it mends one; of more only the number is
 * known. For one thread.
 */
final class RowDifferences {
  /** Differences that are kept. */
  static final int MOST = 10_000;

  /** How a row differs. */
  enum Kind {
    CHANGED("is another in the application"),
    MISSING("is missing in the application"),
    EXTRA("is in the application only");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  private final RocksRows rebuilt;
  private final RocksRows running;
  private final NavigableMap<byte[], Kind> kinds = new TreeMap<>(Arrays::compareUnsigned);
  private long rows;
  private long count;

  RowDifferences(RocksRows rebuilt, RocksRows running) {
    this.rebuilt = rebuilt;
    this.running = running;
  }

  /** Compares every row. */
  void compareAll() {
    kinds.clear();
    rows = 0;
    count = 0;
    try (RocksIterator ours = rebuilt.all();
        RocksIterator theirs = running.all()) {
      while (ours.isValid() || theirs.isValid()) {
        int order = order(ours, theirs);
        byte[] key = order <= 0 ? ours.key() : theirs.key();
        note(key, kind(order <= 0 ? ours.value() : null, order >= 0 ? theirs.value() : null));
        if (order <= 0) {
          ours.next();
        }
        if (order >= 0) {
          theirs.next();
        }
      }
    }
  }

  private static int order(RocksIterator ours, RocksIterator theirs) {
    if (!ours.isValid()) {
      return 1;
    }
    return theirs.isValid() ? Arrays.compareUnsigned(ours.key(), theirs.key()) : -1;
  }

  private void note(byte[] key, @Nullable Kind kind) {
    if (notOfTheLog(key)) {
      return;
    }
    rows++;
    if (kind != null) {
      count++;
      if (kinds.size() < MOST) {
        kinds.put(key, kind);
      }
    }
  }

  /** How long an application is still quiet is the one thing in it that the log does not decide. */
  private static boolean notOfTheLog(byte[] key) {
    return Arrays.equals(key, Keys.quiet());
  }

  /** Looks again at rows that a step of the rebuild has written. */
  void compareAgain(List<byte[]> keys) {
    for (byte[] key : keys) {
      Kind kind = notOfTheLog(key) ? null : kind(rebuilt.get(key), running.get(key));
      boolean before = kinds.containsKey(key);
      if (kind == null) {
        kinds.remove(key);
      } else {
        kinds.put(key, kind);
      }
      count += kind == null ? before ? -1 : 0 : before ? 0 : 1;
    }
  }

  private static @Nullable Kind kind(byte @Nullable [] ours, byte @Nullable [] theirs) {
    if (ours == null) {
      return theirs == null ? null : Kind.EXTRA;
    }
    if (theirs == null) {
      return Kind.MISSING;
    }
    return Arrays.equals(ours, theirs) ? null : Kind.CHANGED;
  }

  /** Whether all are known, so that {@link #compareAgain} can tell whether none is left. */
  boolean complete() {
    return count == kinds.size();
  }

  /** Rows that either side had when all were compared. */
  long rows() {
    return rows;
  }

  /** Rows that differ. */
  long count() {
    return count;
  }

  /** Tells the first {@code most} differing rows, by {@link KeyNames}, and how each differs. */
  void tell(int most, BiConsumer<String, String> to) {
    kinds.entrySet().stream()
        .limit(most)
        .forEach(each -> to.accept(KeyNames.of(each.getKey()), each.getValue().words));
  }
}
