package dev.holdfast.delivery.topology;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * One cache and one write-buffer manager for all stores of the process; without them RocksDB takes
 * about 50 MB for each store of each partition (facebook/rocksdb#10700).
 */
public final class SharedMemory implements RocksDBConfigSetter {
  /** Bytes for blocks, indexes, filters and write buffers of all stores together. */
  public static final String CACHE_BYTES = "holdfast.rocksdb.cache.bytes";

  private static final long DEFAULT_CACHE = 256L << 20;
  private static final long WRITE_BUFFER = 8L << 20;

  static {
    // Before any native object is made, or making it crashes.
    RocksDB.loadLibrary();
  }

  private static final long TOTAL = Long.getLong(CACHE_BYTES, DEFAULT_CACHE);
  private static final Cache CACHE = new LRUCache(TOTAL);
  private static final WriteBufferManager WRITE_BUFFERS = new WriteBufferManager(TOTAL / 2, CACHE);

  @Override
  public void setConfig(String storeName, Options options, Map<String, Object> configs) {
    BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
    table.setBlockCache(CACHE);
    table.setCacheIndexAndFilterBlocks(true);
    table.setPinTopLevelIndexAndFilter(true);
    table.setFilterPolicy(new BloomFilter(10, false));
    options.setTableFormatConfig(table);
    options.setWriteBufferManager(WRITE_BUFFERS);
    options.setWriteBufferSize(WRITE_BUFFER);
    options.setMaxWriteBufferNumber(3);
    options.setCompressionType(CompressionType.LZ4_COMPRESSION);
  }

  @Override
  public void close(String storeName, Options options) {
    // Cache and write buffers are the process's, not the store's.
  }
}
