package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * One partition's rows in the data directory of an instance that does not run, as Kafka Streams 4.4
 * leaves them: a RocksDB with the rows in its default column family, and in another one the offset
 * of the changelog up to which it has that. Read only. For one thread.
 */
final class LocalStore {
  private static final byte[] OFFSETS = "offsets".getBytes(StandardCharsets.UTF_8);

  static {
    RocksDB.loadLibrary();
  }

  private final Path dir;

  /**
   * @param data of the instance
   */
  LocalStore(Path data, String application, int partition) {
    this.dir =
        data.resolve(application)
            .resolve("0_" + partition)
            .resolve("rocksdb")
            .resolve(DeliveryTopology.STORE);
  }

  /** Whether the instance had a copy of this partition. */
  boolean exists() {
    return Files.isRegularFile(dir.resolve("CURRENT"));
  }

  /**
   * Copies all rows. What the changelog has from the returned offset on is not in them yet; the
   * instance would read it when it starts.
   *
   * @param to empty
   * @throws StartRefused when the store cannot be read: it is damaged
   */
  long copyTo(RocksRows to, TopicPartition changelog) {
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (Options options = new Options();
        DBOptions dbOptions = new DBOptions()) {
      List<ColumnFamilyDescriptor> families = new ArrayList<>();
      for (byte[] name : RocksDB.listColumnFamilies(options, dir.toString())) {
        families.add(new ColumnFamilyDescriptor(name));
      }
      try (RocksDB db = RocksDB.openReadOnly(dbOptions, dir.toString(), families, handles)) {
        copy(db, to);
        return next(db, handles, changelog);
      } finally {
        handles.forEach(ColumnFamilyHandle::close);
      }
    } catch (RocksDBException e) {
      throw new StartRefused(
          "the store in "
              + dir
              + " cannot be read: "
              + e.getMessage()
              + ". It is damaged: delete the data directory of its instance and start that again, it"
              + " restores all from the changelog",
          e);
    }
  }

  private static void copy(RocksDB db, RocksRows to) throws RocksDBException {
    try (RocksIterator rows = db.newIterator()) {
      for (rows.seekToFirst(); rows.isValid(); rows.next()) {
        to.put(rows.key(), rows.value());
      }
      rows.status();
    }
  }

  private static long next(RocksDB db, List<ColumnFamilyHandle> handles, TopicPartition changelog)
      throws RocksDBException {
    byte[] key = changelog.toString().getBytes(StandardCharsets.UTF_8);
    for (ColumnFamilyHandle handle : handles) {
      if (Arrays.equals(handle.getName(), OFFSETS)) {
        byte @Nullable [] last = db.get(handle, key);
        // The last record that it has; below 0 where it knows of none.
        return last == null ? 0 : Math.max(0, ByteBuffer.wrap(last).getLong() + 1);
      }
    }
    return 0;
  }
}
