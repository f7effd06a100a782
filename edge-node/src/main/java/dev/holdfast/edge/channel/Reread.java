package dev.holdfast.edge.channel;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What is read again of one partition: first to get its feed ready, then for all who wait. Plain
 * code; one thread.
 *
 * <p>While those who read have enough for now, what was read already is held, no more than one read
 * brings; it is what they are given first when they go on.
 */
final class Reread {
  /** Reads without a record after which the log's end is asked for again. */
  private static final int STANDS = 20;

  private final Place place;
  private final Pass pass;
  private final Deque<ChannelEvent> held = new ArrayDeque<>();
  private @Nullable Loading loading;
  private boolean placed;
  private long position;
  private int epoch = Epochs.UNKNOWN;
  private long stoodAt = -1;
  private int stood;

  Reread(Place place, ChannelLimits limits) {
    this.place = place;
    this.pass = new Pass(place, limits);
  }

  Place place() {
    return place;
  }

  Pass pass() {
    return pass;
  }

  /** What is being loaded; null: nothing. */
  @Nullable Loading loading() {
    return loading;
  }

  /** Begins to load from an offset on; what is read for others waits until it is over. */
  void load(Loading next, long from) {
    forget();
    Feed unused = unload();
    loading = next;
    at(from);
  }

  /** It is loaded. */
  void loaded() {
    loading = null;
    placed = false;
  }

  /** Ends what is being loaded; null when nothing is. */
  @Nullable Feed unload() {
    Loading was = loading;
    loading = null;
    if (was == null) {
      return null;
    }
    placed = false;
    was.feed().release();
    return was.feed();
  }

  /** What was read for those who wait is of no use any more. */
  void forget() {
    pass.interrupted();
    held.clear();
    placed = false;
  }

  /** It is read from an offset on. */
  void at(long offset) {
    held.clear();
    position = offset;
    epoch = Epochs.UNKNOWN;
    placed = true;
  }

  /** Whether more is to be read now. */
  boolean reads() {
    return loading != null || pass.running();
  }

  /** Whether it is read no further for now, and goes on where it is. */
  boolean rests() {
    return !reads() && placed && !pass.empty();
  }

  /** Whether nobody waits for anything. */
  boolean idle() {
    return loading == null && pass.empty();
  }

  /** Whether a round that begins at an offset finds it here, and need not look for it. */
  boolean has(long offset) {
    ChannelEvent first = held.peek();
    return placed && (first == null ? offset == position : offset == first.offset());
  }

  /** A record for those who read. */
  void record(ChannelEvent event, long nowMs) {
    if (pass.running() && !pass.record(event, nowMs)) {
      forget();
    } else if (!pass.running()) {
      held.add(event);
    }
  }

  /** Gives those who read what is held. */
  void give(long nowMs) {
    while (pass.running() && !held.isEmpty()) {
      if (!pass.record(held.element(), nowMs)) {
        forget();
      } else if (pass.running()) {
        held.remove();
      }
    }
    if (pass.running()) {
      pass.passed(position, epoch);
    }
  }

  /** See {@link Rereads#progressed}. */
  void progressed(long offset, int lastEpoch) {
    position = offset;
    epoch = lastEpoch;
    if (loading != null) {
      loading.passed(offset, lastEpoch);
    } else if (pass.running()) {
      pass.passed(offset, lastEpoch);
    }
  }

  /** The offset before which everything was read. */
  long position() {
    return position;
  }

  /** Whether nothing has come for a while. */
  boolean stands() {
    stood = position == stoodAt ? stood + 1 : 0;
    stoodAt = position;
    return stood > 0 && stood % STANDS == 0;
  }
}
