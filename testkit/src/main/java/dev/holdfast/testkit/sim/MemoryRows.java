package dev.holdfast.testkit.sim;

import dev.holdfast.delivery.state.Rows;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rows in a tree map, ordered as RocksDB orders them. */
public final class MemoryRows implements Rows {
  private final NavigableMap<byte[], byte[]> rows;

  public MemoryRows() {
    this(new TreeMap<>(Arrays::compareUnsigned));
  }

  private MemoryRows(NavigableMap<byte[], byte[]> rows) {
    this.rows = rows;
  }

  /** The same rows, from here on apart. */
  public MemoryRows copy() {
    return new MemoryRows(new TreeMap<>(rows));
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return rows.get(key);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    rows.put(key, value);
  }

  @Override
  public void delete(byte[] key) {
    rows.remove(key);
  }

  @Override
  public void scan(byte[] from, byte[] to, Visitor visitor) {
    if (Arrays.compareUnsigned(from, to) >= 0) {
      return;
    }
    for (Map.Entry<byte[], byte[]> row : rows.subMap(from, to).entrySet()) {
      if (!visitor.row(row.getKey(), row.getValue())) {
        return;
      }
    }
  }

  /** How many there are. */
  public int size() {
    return rows.size();
  }

  /** The first row in which the two differ, for people, or null when they are the same. */
  public @Nullable String difference(MemoryRows other) {
    Iterator<Map.Entry<byte[], byte[]>> theirs = other.rows.entrySet().iterator();
    for (Map.Entry<byte[], byte[]> mine : rows.entrySet()) {
      if (!theirs.hasNext()) {
        return "only one side has " + text(mine);
      }
      Map.Entry<byte[], byte[]> their = theirs.next();
      if (!Arrays.equals(mine.getKey(), their.getKey())
          || !Arrays.equals(mine.getValue(), their.getValue())) {
        return text(mine) + " against " + text(their);
      }
    }
    return theirs.hasNext() ? "only the other side has " + text(theirs.next()) : null;
  }

  private static String text(Map.Entry<byte[], byte[]> row) {
    return text(row.getKey()) + " = " + text(row.getValue());
  }

  private static String text(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) {
      text.append(b > ' ' ? String.valueOf((char) b) : "\\" + HexFormat.of().toHexDigits(b));
    }
    return text.toString();
  }
}
