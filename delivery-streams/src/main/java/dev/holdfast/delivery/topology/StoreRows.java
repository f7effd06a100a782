package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.state.Rows;
import java.util.Arrays;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/** The rows of one task in its RocksDB store. */
final class StoreRows implements Rows {
  private final KeyValueStore<Bytes, byte[]> store;

  StoreRows(KeyValueStore<Bytes, byte[]> store) {
    this.store = store;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return store.get(Bytes.wrap(key));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    store.put(Bytes.wrap(key), value);
  }

  @Override
  public void delete(byte[] key) {
    store.delete(Bytes.wrap(key));
  }

  @Override
  public void scan(byte[] from, byte[] to, Visitor visitor) {
    if (Arrays.compareUnsigned(from, to) >= 0) {
      return;
    }
    try (KeyValueIterator<Bytes, byte[]> rows = store.range(Bytes.wrap(from), Bytes.wrap(to))) {
      while (rows.hasNext()) {
        KeyValue<Bytes, byte[]> row = rows.next();
        byte[] key = row.key.get();
        // Streams' ranges include their end.
        if (Arrays.equals(key, to) || !visitor.row(key, row.value)) {
          return;
        }
      }
    }
  }
}
