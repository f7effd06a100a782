package dev.holdfast.edge.channel;

import dev.holdfast.channel.Position;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A partition in mode {@code latest}: the newest value of a key at once, then changes, of which
 * those that a subscriber cannot take yet wait for the next one to overtake them.
 */
final class LatestFeed extends Feed {
  private final LatestValues values;
  private final Set<Subscription> waiting = new HashSet<>();
  private final List<Subscription> dirty = new ArrayList<>();
  private long newestTs;

  LatestFeed(Place place, ChannelLimits limits, Room room, ChannelCounters counters) {
    super(place, limits, room, counters);
    this.values = new LatestValues(limits.latestBytes(), room);
  }

  @Override
  boolean latest() {
    return true;
  }

  @Override
  void start(long offset) {
    super.start(offset);
    values.start();
  }

  @Override
  void weigh(ChannelEvent event) {
    newestTs = event.ts();
  }

  @Override
  void keep(ChannelEvent event) {
    values.put(event);
  }

  @Override
  void deliver(ChannelEvent event, @Nullable List<Subscription> to, long nowMs) {
    values.put(event);
    if (to != null) {
      for (int i = to.size() - 1; i >= 0; i--) {
        offer(to.get(i), event, nowMs);
      }
    }
  }

  private void offer(Subscription to, ChannelEvent event, long nowMs) {
    if (to.offer(event, place(), nowMs) && waiting.add(to)) {
      dirty.add(to);
    }
  }

  @Override
  Join join(Subscription s, long nowMs) {
    if (overflow() != null) {
      return Join.OVERFLOWN;
    }
    String lost = s.contradicts(place());
    if (lost == null && s.next() > next()) {
      return Join.AHEAD;
    }
    Position from = s.from();
    if (lost == null && from != null && epochs().contradict(from)) {
      lost = Reasons.TRUNCATED;
    }
    show(s, lost, nowMs);
    return Join.LIVE;
  }

  @Override
  void joinAnew(Subscription s, String reason, long nowMs) {
    show(s, reason, nowMs);
  }

  /**
   * Begins to show a key's newest value.
   *
   * @param lost why it begins anew; null when its client saw what was up to its position
   */
  private void show(Subscription s, @Nullable String lost, long nowMs) {
    if (lost == null) {
      s.recovered(place());
    } else {
      s.restart(place(), 0, Epochs.UNKNOWN, lost);
    }
    ChannelEvent value = values.of(s.key());
    if (value == null && lost == null && s.next() < next()) {
      // What it may have seen is gone.
      value = new ChannelEvent(next() - 1, epochs().last(), s.key(), newestTs, null, null, null);
    }
    add(s);
    if (value != null) {
      offer(s, value, nowMs);
    }
  }

  @Override
  boolean flush(long nowMs) {
    for (int i = dirty.size() - 1; i >= 0; i--) {
      Subscription s = dirty.get(i);
      if (s.flush(place(), nowMs)) {
        waiting.remove(s);
        Subscription last = dirty.remove(dirty.size() - 1);
        if (i < dirty.size()) {
          dirty.set(i, last);
        }
      }
    }
    return !dirty.isEmpty();
  }

  @Override
  @Nullable String overflow() {
    String why = values.overflow();
    return why == null ? null : "the newest values of " + place().log() + " " + why;
  }

  @Override
  void drop() {
    values.close();
  }

  @Override
  List<Subscription> abandon() {
    dirty.clear();
    waiting.clear();
    return super.abandon();
  }
}
