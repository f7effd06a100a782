package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.state.Rows;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Checkpoint;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * Rows in a RocksDB of their own, for as long as a check takes: memory stays bounded however many
 * there are, and nothing survives a crash but what {@link #copyTo} has copied. For one thread.
 */
final class RocksRows implements Rows, AutoCloseable {
  private static final long WRITE_BUFFER = 16L << 20;
  private static final long CACHE = 32L << 20;

  static {
    RocksDB.loadLibrary();
  }

  private final LRUCache cache = new LRUCache(CACHE);
  private final BloomFilter bloom = new BloomFilter(10, false);
  private final Options options = new Options();
  private final WriteOptions writes = new WriteOptions().setDisableWAL(true);
  private final RocksDB db;

  /**
   * Makes a new database.
   *
   * @param dir does not exist yet; the caller deletes it when this is closed
   */
  RocksRows(Path dir) {
    this(dir, true);
  }

  private RocksRows(Path dir, boolean anew) {
    options
        .setCreateIfMissing(anew)
        .setErrorIfExists(anew)
        .setWriteBufferSize(WRITE_BUFFER)
        .setCompressionType(CompressionType.LZ4_COMPRESSION)
        .setTableFormatConfig(
            new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setCacheIndexAndFilterBlocks(true)
                .setFilterPolicy(bloom));
    try {
      this.db = RocksDB.open(options, dir.toString());
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  /** Goes on with the database in {@code dir}, one that {@link #copyTo} has made. */
  static RocksRows opened(Path dir) {
    return new RocksRows(dir, false);
  }

  /**
   * Makes a copy of all rows as they are, on disk for good when this returns. Costs no room where
   * both directories are in one file system.
   *
   * @param to does not exist yet
   */
  void copyTo(Path to) {
    try (Checkpoint copy = Checkpoint.create(db)) {
      copy.createCheckpoint(to.toString());
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  private static IllegalStateException failed(RocksDBException e) {
    return new IllegalStateException("RocksDB failed: " + e.getMessage(), e);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    try {
      return db.get(key);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void put(byte[] key, byte[] value) {
    try {
      db.put(writes, key, value);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void delete(byte[] key) {
    try {
      db.delete(writes, key);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void scan(byte[] from, byte[] to, Visitor visitor) {
    try (RocksIterator rows = db.newIterator()) {
      for (rows.seek(from); rows.isValid(); rows.next()) {
        byte[] key = rows.key();
        if (Arrays.compareUnsigned(key, to) >= 0 || !visitor.row(key, rows.value())) {
          return;
        }
      }
      rows.status();
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  /** All rows in order, to be closed; it stands before the first. */
  RocksIterator all() {
    RocksIterator rows = db.newIterator();
    rows.seekToFirst();
    return rows;
  }

  @Override
  public void close() {
    db.close();
    options.close();
    writes.close();
    bloom.close();
    cache.close();
  }
}
