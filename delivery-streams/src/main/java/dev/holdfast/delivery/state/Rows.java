package dev.holdfast.delivery.state;

import org.jspecify.annotations.Nullable;

/**
 * The rows of one partition, ordered by key bytes (unsigned). RocksDB in production, a tree map in
 * the simulator. Used by one thread.
 */
public interface Rows {
  /** The row under {@code key}, or null. */
  byte @Nullable [] get(byte[] key);

  void put(byte[] key, byte[] value);

  void delete(byte[] key);

  /** Visits rows with {@code from <= key < to} in order until the visitor has had enough. */
  void scan(byte[] from, byte[] to, Visitor visitor);

  /** Sees one row; must not change rows meanwhile. */
  @FunctionalInterface
  interface Visitor {
    /** Whether to go on. */
    boolean row(byte[] key, byte[] value);
  }
}
