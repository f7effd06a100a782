package dev.holdfast.edge.channel;

import dev.holdfast.channel.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A partition in mode {@code stream}: every event to every subscriber.
 *
 * <p>A subscription is added when the tail reaches back to its cursor, and is sent the rest of the
 * tail in the same step. One whose cursor lies before the tail is sent nothing here: it is away to
 * read older records ({@link Pass}) until the tail reaches its cursor, and is added then.
 */
final class StreamFeed extends Feed {
  private final ChannelLimits limits;
  private final Room room;
  private final Tail tail;
  private final boolean ids;
  private boolean newcomer = true;
  private @Nullable String overflow;
  private volatile long tailFrom;
  private long recordBytes;
  private long records;
  private int away;

  StreamFeed(Place place, ChannelLimits limits, Room room, ChannelCounters counters) {
    super(place, limits, room, counters);
    this.limits = limits;
    this.room = room;
    this.ids = repeatRecords(place, limits) > 0;
    this.tail = new Tail(limits.tailBytes(), limits.tailRecords(), room);
  }

  /** First offset from which the tail has everything. Any thread. */
  long tailFrom() {
    return tailFrom;
  }

  @Override
  boolean latest() {
    return false;
  }

  @Override
  void start(long offset) {
    super.start(offset);
    newcomer = overflow != null; // then not all ids were read, and it is never begun
    tail.start(offset);
    tailFrom = offset;
  }

  @Override
  void weigh(ChannelEvent event) {
    records++;
    recordBytes += event.bytes();
    // Its events are a cache, but the ids are not: without them it would not know a repeat.
    if (ids && overflow == null && room.crowded(newcomer)) {
      overflow =
          "the message ids of "
              + place().log()
              + " do not fit into the edge's memory for channels; raise --channels-mb";
    }
  }

  @Override
  void keep(ChannelEvent event) {
    // The tail begins with the feed.
  }

  @Override
  void deliver(ChannelEvent event, @Nullable List<Subscription> to, long nowMs) {
    tail.add(event);
    tailFrom = tail.from();
    if (to != null) {
      for (int i = to.size() - 1; i >= 0; i--) {
        to.get(i).send(event, place());
      }
    }
  }

  @Override
  Join join(Subscription s, long nowMs) {
    String lost = s.contradicts(place());
    if (lost != null) {
      restart(s, lost);
    } else if (s.next() > next()) {
      return Join.AHEAD;
    } else if (farther(s, limits.replayBytes())) {
      restart(s, Reasons.TOO_FAR);
    } else if (!reaches(s)) {
      away++;
      return Join.BEHIND;
    } else if (forked(s)) {
      restart(s, Reasons.TRUNCATED);
    } else {
      s.recovered(place());
    }
    goLive(s);
    return Join.LIVE;
  }

  @Override
  void joinAnew(Subscription s, String reason, long nowMs) {
    restart(s, reason);
    add(s);
  }

  private void restart(Subscription s, String reason) {
    s.restart(place(), next(), epochs().last(), reason);
  }

  /** A subscription that was away to read older records; whether it is live now. */
  boolean splice(Subscription s) {
    if (!s.closed() && (s.next() < tail.from() || !fits(s))) {
      return false;
    }
    away--;
    Position stands = s.stands();
    if (!s.closed() && stands != null && epochs().doubt(stands)) {
      // The log was cut off behind it while it was on its way here.
      joinAnew(s, Reasons.TRUNCATED, 0);
    } else if (!s.closed()) {
      goLive(s);
    }
    return true;
  }

  /** Of several that do not fit any more, one gives way at a time, as long as that is needed. */
  @Override
  @Nullable String overflow() {
    if (overflow != null && !newcomer && !room.crowded(false)) {
      overflow = null;
    }
    return overflow;
  }

  @Override
  void shrink() {
    tail.shrink();
    tailFrom = tail.from();
  }

  @Override
  void drop() {
    tail.close();
  }

  /** One that was away will not come back. */
  void awayNoMore() {
    away--;
  }

  @Override
  boolean unused() {
    return away == 0 && super.unused();
  }

  private boolean farther(Subscription s, long bytes) {
    long average = records == 0 ? 1_024 : recordBytes / records;
    return (next() - s.next()) * average > bytes;
  }

  /** Whether the tail has all that the subscription needs, and little enough to be sent at once. */
  private boolean reaches(Subscription s) {
    if (s.next() < tail.from()) {
      return false;
    }
    Position from = s.from();
    boolean checkable =
        from == null
            || from.epoch() < 0
            || s.next() == 0
            || epochs().at(s.next() - 1) != Epochs.UNKNOWN;
    return checkable && s.listener().queued() <= Resumer.RESUME_BYTES && fits(s);
  }

  /** Whether the log went on differently before the subscription's position. */
  private boolean forked(Subscription s) {
    Position from = s.from();
    return from != null && epochs().contradict(from);
  }

  /** Whether what the tail has for it is little enough to be sent at once. */
  private boolean fits(Subscription s) {
    long bytes = 0;
    for (ChannelEvent event : tail.of(s.key())) {
      bytes += event.offset() >= s.next() ? event.bytes() : 0;
    }
    return bytes <= limits.tailBytes() / 8;
  }

  private void goLive(Subscription s) {
    for (ChannelEvent event : tail.of(s.key())) {
      s.send(event, place());
    }
    s.passed(place(), next(), epochs().last(), Long.MAX_VALUE);
    add(s);
  }
}
