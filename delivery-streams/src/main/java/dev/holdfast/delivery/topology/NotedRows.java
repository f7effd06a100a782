package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.state.Rows;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows that remember, once they are told to, which of them a step has written. */
final class NotedRows implements Rows {
  private final Rows rows;
  private final List<byte[]> written = new ArrayList<>();
  private boolean noting;

  NotedRows(Rows rows) {
    this.rows = rows;
  }

  /** From here on writes are remembered until {@link #written} takes them. */
  void note() {
    noting = true;
  }

  private void note(byte[] key) {
    if (noting) {
      written.add(key);
    }
  }

  /** The keys that were put or deleted since the last call; a key may come twice. */
  List<byte[]> written() {
    List<byte[]> keys = List.copyOf(written);
    written.clear();
    return keys;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return rows.get(key);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    note(key);
    rows.put(key, value);
  }

  @Override
  public void delete(byte[] key) {
    note(key);
    rows.delete(key);
  }

  @Override
  public void scan(byte[] from, byte[] to, Visitor visitor) {
    rows.scan(from, to, visitor);
  }
}
