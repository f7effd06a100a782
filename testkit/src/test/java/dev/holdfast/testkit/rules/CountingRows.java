package dev.holdfast.testkit.rules;

import dev.holdfast.delivery.state.Rows;
import dev.holdfast.testkit.sim.MemoryRows;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Rows that count what scans walk over, deleted rows too: an LSM tree keeps them for a while. */
final class CountingRows implements Rows {
  private final MemoryRows rows = new MemoryRows();
  private final TreeSet<byte[]> tombstones = new TreeSet<>(Arrays::compareUnsigned);
  private final Map<String, Integer> walked = new HashMap<>();

  MemoryRows memory() {
    return rows;
  }

  /** Rows that scans visited or stepped over since the last call: {@code rows, tombstones}. */
  Map<String, Integer> walked() {
    Map<String, Integer> result = Map.copyOf(walked);
    walked.clear();
    return result;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return rows.get(key);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    tombstones.remove(key);
    rows.put(key, value);
  }

  @Override
  public void delete(byte[] key) {
    if (rows.get(key) != null) {
      tombstones.add(key);
    }
    rows.delete(key);
  }

  /**
   * As Streams does it: an iterator looks for a next row before it is asked whether to go on, and
   * finds one or the end of the range.
   */
  @Override
  public void scan(byte[] from, byte[] to, Visitor visitor) {
    byte[][] last = {from};
    rows.scan(
        from,
        to,
        (key, value) -> {
          walked.merge("rows", 1, Integer::sum);
          last[0] = key;
          return visitor.row(key, value);
        });
    int passed = tombstones.subSet(from, true, last[0], true).size();
    boolean toTheEnd = Arrays.compareUnsigned(last[0], to) < 0 && rows.get(to) == null;
    if (toTheEnd) {
      passed += tombstones.subSet(last[0], false, to, true).size();
    }
    if (passed > 0) {
      walked.merge("tombstones", passed, Integer::sum);
    }
  }
}
