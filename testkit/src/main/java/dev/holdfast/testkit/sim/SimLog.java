package dev.holdfast.testkit.sim;

import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.record.Event;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code holdfast.events}: the broker stamps what is appended with its own clock. */
final class SimLog {
  /**
   * One record.
   *
   * @param user its key; empty for events that have none
   * @param forwarded whether it was moved from another partition
   */
  record Entry(LogPosition at, String user, Event event, boolean forwarded) {}

  private final World world;
  private final List<List<Entry>> partitions = new ArrayList<>();
  private final List<Runnable> readers = new ArrayList<>();
  private long skewMs;

  SimLog(World world, int partitions) {
    this.world = world;
    for (int i = 0; i < partitions; i++) {
      this.partitions.add(new ArrayList<>());
    }
  }

  /** The partition where a user's events belong. */
  int home(String user) {
    return (user.hashCode() & 0x7FFF) % partitions.size();
  }

  int partitions() {
    return partitions.size();
  }

  void append(int partition, String user, Event event, boolean forwarded) {
    List<Entry> log = partitions.get(partition);
    LogPosition at = new LogPosition(partition, log.size(), world.now() + skewMs);
    Entry entry = new Entry(at, user, event, forwarded);
    log.add(entry);
    world.note("append", entry);
    readers.forEach(Runnable::run);
  }

  /** The record, or null when the partition ends before. */
  @Nullable Entry read(int partition, long offset) {
    List<Entry> log = partitions.get(partition);
    return offset < log.size() ? log.get((int) offset) : null;
  }

  long end(int partition) {
    return partitions.get(partition).size();
  }

  /** Another broker leads now, and its clock is a little off. */
  void newLeader() {
    skewMs = world.between(-1_500, 1_500);
    world.note("the log's clock is off by", skewMs);
  }

  void onAppend(Runnable reader) {
    readers.add(reader);
  }
}
