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
   * @param originMs append time of the original of a record that was moved here from another
   *     partition; {@link #NOT_MOVED} for all others
   * @param realMs when it really was appended, whatever the broker's clock said
   */
  record Entry(LogPosition at, String user, Event event, long originMs, long realMs) {
    boolean moved() {
      return originMs != NOT_MOVED;
    }
  }

  private static final long NOT_MOVED = -1;

  /** Milliseconds that a broker's clock may be off. */
  static final long MAX_SKEW_MS = 1_500;

  private final World world;
  private final List<List<Entry>> partitions = new ArrayList<>();
  private final List<Runnable> readers = new ArrayList<>();
  private final long[] skewMs;
  private long leptMs;

  SimLog(World world, int partitions) {
    this.world = world;
    this.skewMs = new long[partitions];
    for (int i = 0; i < partitions; i++) {
      this.partitions.add(new ArrayList<>());
    }
  }

  /** Milliseconds since 1970 as the brokers and those who propose know them. */
  long now() {
    return world.now() + leptMs;
  }

  /** As if so much time had passed and nobody who is connected had noticed. */
  void leap(long ms) {
    leptMs += ms;
    world.note("the log is ahead by", leptMs);
  }

  /** The partition where a user's events belong. */
  int home(String user) {
    return (user.hashCode() & 0x7FFF) % partitions.size();
  }

  int partitions() {
    return partitions.size();
  }

  void append(int partition, String user, Event event) {
    append(partition, user, event, NOT_MOVED, now() + skewMs[partition]);
  }

  /** Appends a copy of {@code original}, which lies on a partition that is not its user's. */
  void move(Entry original, Event event) {
    int home = home(original.user());
    long stamp = now() + skewMs[home];
    append(home, original.user(), event, original.at().timestamp(), stamp);
  }

  /** The mistake of letting the writer's clock say when. */
  void appendStamped(int partition, String user, Event event, long stampMs) {
    append(partition, user, event, NOT_MOVED, stampMs);
  }

  private void append(int partition, String user, Event event, long originMs, long stampMs) {
    List<Entry> log = partitions.get(partition);
    LogPosition at = new LogPosition(partition, log.size(), stampMs);
    Entry entry = new Entry(at, user, event, originMs, now());
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

  /** Another broker leads the partition now, and its clock is a little off. */
  void newLeader(int partition) {
    skewMs[partition] = world.between(-MAX_SKEW_MS, MAX_SKEW_MS);
    world.note("the clock of partition", partition, "is off by", skewMs[partition]);
  }

  void onAppend(Runnable reader) {
    readers.add(reader);
  }
}
