package dev.holdfast.edge.channel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that are followed, and what becomes of a subscription from its beginning to its
 * end. Plain code without threads or consumers; one thread at a time.
 *
 * <pre>
 *  subscribe ──> located? ──no──> Replay.locate ──┐
 *                   │yes <────────────────────────┘
 *                loaded?  ──no──> Replay.load ────┐
 *                   │yes <────────────────────────┘
 *                   ├── within the tail ─────────────────────────> live
 *                   ├── before it ──> Replay.resume ──> splice ──> live
 *                   └── after what was seen ──> waits ───────────> joins when that is seen
 * </pre>
 *
 * A feed that is lost sends everybody who was in it to the beginning, with the position that he has
 * come to.
 */
final class Feeds {
  /** Where records come from. */
  interface Source {
    /** Follows these and no others. */
    void assign(Set<TopicPartition> partitions);

    /** Goes on at {@code offset}. */
    void seek(TopicPartition partition, long offset, int epoch);
  }

  private static final long TICK_MS = 1_000;
  private static final int TICKS_TO_TELL = 15;
  private static final int TICKS_TO_TELL_ALL = 600;

  /** Milliseconds that a feed without subscribers is kept. */
  private static final long UNUSED_MS = 60_000;

  private final Source source;
  private final Replay replay;
  private final ChannelCounters counters;
  private final Map<TopicPartition, Feed> feeds = new HashMap<>();
  private final Map<TopicPartition, List<Subscription>> loading = new HashMap<>();
  private final Map<TopicPartition, Long> unusedSince = new HashMap<>();
  private final Overflows overflows = new Overflows();
  private boolean waits;
  private long nowMs;
  private long tickAtMs = Long.MIN_VALUE;
  private int ticks;

  Feeds(Source source, Replay replay, ChannelCounters counters) {
    this.source = source;
    this.replay = replay;
    this.counters = counters;
  }

  /** The time of what follows, in monotonic milliseconds. */
  void at(long nowMs) {
    this.nowMs = nowMs;
  }

  /** The feed of a partition; null when it is not followed. */
  @Nullable Feed of(TopicPartition partition) {
    return feeds.get(partition);
  }

  boolean isEmpty() {
    return feeds.isEmpty();
  }

  /** Whether feeds are being made ready. */
  boolean isLoading() {
    return !loading.isEmpty();
  }

  /** A new subscription. */
  void subscribe(Subscription s) {
    if (s.closed()) {
      return;
    }
    Place place = replay.places().known(s.namespace(), s.key());
    if (place == null) {
      replay.locate(s);
    } else {
      enter(s, place);
    }
  }

  /** A subscription has ended. */
  void leave(Subscription s) {
    Feed home = s.home();
    if (home != null) {
      home.leave(s);
    }
  }

  /** See {@link Live#located}. */
  void enter(Subscription s, Place place) {
    if (s.closed()) {
      return;
    }
    if (replay.places().unsettled(place, s.from(), nowMs)) {
      s.refuse(Reasons.UNSETTLED);
      return;
    }
    TopicPartition partition = place.log();
    Feed feed = feeds.get(partition);
    if (feed != null && !feed.place().topic().equals(place.topic())) {
      lose(partition, null);
      feed = null;
    }
    if (feed != null) {
      join(s, feed);
      return;
    }
    String overflow = overflows.why(partition, nowMs);
    if (overflow != null) {
      s.refuse(overflow);
    } else {
      if (!loading.containsKey(partition)) {
        replay.load(place);
      }
      loading.computeIfAbsent(partition, key -> new ArrayList<>()).add(s);
    }
  }

  private void join(Subscription s, Feed feed) {
    switch (feed.join(s, nowMs)) {
      case LIVE -> waits |= s.latest();
      // Only a stream has anything to read first.
      case BEHIND -> replay.resume(s, (StreamFeed) feed, Resumer.NEAR);
      case AHEAD -> {
        feed.park(s);
        replay.checkEnd(s, feed);
      }
      case OVERFLOWN -> s.refuse(Objects.requireNonNull(feed.overflow()));
    }
  }

  /** See {@link Live#loaded}. */
  void loaded(Feed feed) {
    TopicPartition partition = feed.place().log();
    List<Subscription> those = loading.remove(partition);
    if (those == null || !replay.places().current(feed.place())) {
      feed.release();
      Objects.requireNonNullElse(those, List.<Subscription>of()).forEach(this::anew);
      return;
    }
    String overflow = feed.overflow();
    if (overflow != null) {
      feed.release();
      overflows.add(partition, overflow, nowMs);
      those.forEach(s -> s.refuse(overflow));
      return;
    }
    feeds.put(partition, feed);
    counters.feeds.set(feeds.size());
    source.assign(feeds.keySet());
    source.seek(partition, feed.next(), feed.startEpoch());
    for (Subscription s : those) {
      Place place = replay.places().known(s.namespace(), s.key());
      if (!feed.place().equals(place)) {
        anew(s);
      } else if (!s.closed()) {
        join(s, feed);
      }
    }
  }

  /** See {@link Live#notLoaded}. */
  void notLoaded(Place place, @Nullable String why) {
    List<Subscription> those = loading.remove(place.log());
    if (those != null) {
      those.forEach(s -> end(s, why));
    }
  }

  private void end(Subscription s, @Nullable String why) {
    if (why == null) {
      anew(s);
    } else {
      s.refuse(why);
    }
  }

  /** Looks for its place anew: the topic may be another one by now. */
  private void anew(Subscription s) {
    if (!s.closed()) {
      replay.locate(s);
    }
  }

  /** See {@link Live#back}. */
  void back(Resumer resumer, @Nullable String reason) {
    Subscription s = resumer.subscription();
    StreamFeed feed = resumer.feed();
    if (feeds.get(feed.place().log()) != feed) {
      s.lost();
      subscribe(s);
    } else if (s.closed()) {
      feed.awayNoMore();
    } else if (reason != null) {
      feed.awayNoMore();
      feed.joinAnew(s, reason, nowMs);
      s.progress(feed.place(), true);
    } else if (s.next() > feed.next()) {
      // It has read further than the feed, which may yet find that the log was cut off there.
      feed.awayNoMore();
      s.progress(feed.place(), true);
      s.lost();
      feed.park(s);
      replay.checkEnd(s, feed);
    } else if (feed.splice(s)) {
      s.progress(feed.place(), true);
    } else {
      replay.resume(s, feed, Resumer.NEARER);
    }
  }

  /** See {@link Live#ahead}. */
  void ahead(Subscription s, Feed feed, boolean within) {
    if (!within && !s.closed() && feed.unpark(s)) {
      feed.joinAnew(s, Reasons.TRUNCATED, nowMs);
      waits |= s.latest();
    }
  }

  /** See {@link Live#changed}. */
  void changed(String topic, @Nullable String gone) {
    for (TopicPartition partition : Set.copyOf(feeds.keySet())) {
      if (partition.topic().equals(topic)) {
        lose(partition, gone);
      }
    }
  }

  /** Whether changes wait to be sent. */
  boolean waits() {
    return waits;
  }

  /** Records were taken: who waited for them joins, and what may be sent is sent. */
  void taken() {
    waits = false;
    for (Map.Entry<TopicPartition, Feed> e : List.copyOf(feeds.entrySet())) {
      Feed feed = e.getValue();
      for (Subscription s : feed.arrived()) {
        join(s, feed);
      }
      waits |= feed.flush(nowMs);
      String overflow = feed.overflow();
      if (overflow != null) {
        overflows.add(e.getKey(), overflow, nowMs);
        lose(e.getKey(), overflow);
      }
    }
  }

  /**
   * Ends a feed; its subscriptions look for their place anew, or are told why they cannot.
   *
   * @param why null when they can
   */
  void lose(TopicPartition partition, @Nullable String why) {
    Feed feed = feeds.remove(partition);
    if (feed == null) {
      return;
    }
    counters.feeds.set(feeds.size());
    unusedSince.remove(partition);
    source.assign(feeds.keySet());
    feed.abandon().forEach(s -> end(s, why));
  }

  /** Looks after what time brings. */
  void tick() {
    if (nowMs < tickAtMs) {
      return;
    }
    tickAtMs = nowMs + TICK_MS;
    ticks++;
    if (ticks % TICKS_TO_TELL == 0) {
      long behind = ticks % TICKS_TO_TELL_ALL == 0 ? 1 : Feed.TELL_AFTER;
      feeds.values().forEach(feed -> feed.tellPositions(behind));
    }
    overflows.tick(nowMs);
    feeds.values().forEach(Feed::shrink);
    for (Map.Entry<TopicPartition, Feed> e : List.copyOf(feeds.entrySet())) {
      e.getValue().parked().forEach(s -> replay.checkEnd(s, e.getValue()));
      if (!e.getValue().unused()) {
        unusedSince.remove(e.getKey());
      } else if (nowMs - unusedSince.computeIfAbsent(e.getKey(), key -> nowMs) > UNUSED_MS) {
        lose(e.getKey(), null);
      }
    }
  }
}
