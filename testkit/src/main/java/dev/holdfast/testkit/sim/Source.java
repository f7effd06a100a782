package dev.holdfast.testkit.sim;

import dev.holdfast.delivery.state.LogPosition;
import org.jspecify.annotations.Nullable;

/** Where an instance reads from, and what it takes for an event's place in the log. */
class Source {
  private final SimLog log;
  private final int partition;
  private long position;

  private Source(SimLog log, int partition, long position) {
    this.log = log;
    this.partition = partition;
    this.position = position;
  }

  static Source of(Variant variant, SimLog log, int partition, long position, World world) {
    return switch (variant) {
      case TWO_LOGS -> new TwoLogs(log, partition, position, world);
      case CLOCK_IN_STEP -> new OwnClock(log, partition, position, world);
      default -> new Source(log, partition, position);
    };
  }

  /** The next record, or null when there is none yet. */
  SimLog.@Nullable Entry peek() {
    return log.read(partition, position);
  }

  void take() {
    position++;
  }

  /** Offset of the next record. */
  long position() {
    return position;
  }

  /** Whether nothing may be committed here: the position alone does not tell what was read. */
  boolean unsettled() {
    return false;
  }

  /** The place of the record just taken. */
  LogPosition position(SimLog.Entry entry, long skewMs) {
    return entry.at();
  }

  /** The mistake of asking the instance's own clock. */
  private static final class OwnClock extends Source {
    private final World world;

    OwnClock(SimLog log, int partition, long position, World world) {
      super(log, partition, position);
      this.world = world;
    }

    @Override
    LogPosition position(SimLog.Entry entry, long skewMs) {
      LogPosition at = entry.at();
      return new LogPosition(at.partition(), at.offset(), world.now() + skewMs);
    }
  }

  /**
   * The mistake of two logs: odd records are taken for one, even ones for the other, and now and
   * then one is read before the other.
   */
  private static final class TwoLogs extends Source {
    private final SimLog log;
    private final int partition;
    private final World world;
    private long swapped = -1;
    private long looked = -1;

    TwoLogs(SimLog log, int partition, long position, World world) {
      super(log, partition, position);
      this.log = log;
      this.partition = partition;
      this.world = world;
    }

    @Override
    SimLog.@Nullable Entry peek() {
      long position = position();
      if (position > looked && log.read(partition, position + 1) != null && swapped < position) {
        looked = position;
        swapped = world.chance(4) ? position + 1 : swapped;
      }
      long from = position == swapped - 1 ? swapped : position == swapped ? position - 1 : position;
      return log.read(partition, from);
    }

    @Override
    boolean unsettled() {
      return position() == swapped;
    }

    @Override
    LogPosition position(SimLog.Entry entry, long skewMs) {
      return new LogPosition(partition, position() - 1, entry.at().timestamp());
    }
  }
}
