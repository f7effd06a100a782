package dev.holdfast.edge.channel;

import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.channel.Namespace.Publishers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One partition as it is followed live. Plain code without Kafka; one thread.
 *
 * <p>How nothing is missed or sent twice. Records come in order of offsets, each once. A live
 * subscription has had everything before {@link #next} that is its, since it was given what it
 * lacked in the step in which it was added. Whatever comes goes through the subscription's cursor,
 * which drops what it had.
 */
abstract sealed class Feed permits StreamFeed, LatestFeed {
  /** What a subscription is told to do. */
  enum Join {
    /** It is live. */
    LIVE,
    /** It has to read older records first. */
    BEHIND,
    /** It stands after the end of what this edge has seen: the log's end has to be looked up. */
    AHEAD,
    /** The feed cannot serve it. */
    OVERFLOWN
  }

  /** Offsets that may pass without an event before a subscription is told its position. */
  static final long TELL_AFTER = 1_000;

  /**
   * Records before a position among which one tells the epoch; markers of transactions and what
   * compaction removed tell none.
   */
  private static final int EPOCHS_BACK = 64;

  /** The slot of one who is not live yet. */
  private static final int PARKED = -1;

  private final Place place;
  private final ChannelCounters counters;
  private final RepeatWindow window;
  private final Epochs epochs = new Epochs();
  private final Audience audience = new Audience();
  private final List<Subscription> ahead = new ArrayList<>();
  private volatile long next;
  private volatile boolean ended;
  private int startEpoch = Epochs.UNKNOWN;

  Feed(Place place, ChannelLimits limits, Room room, ChannelCounters counters) {
    this.place = place;
    this.counters = counters;
    this.window = new RepeatWindow(repeatRecords(place, limits), room::ids);
  }

  /** A feed of the namespace's mode. */
  static Feed of(Place place, ChannelLimits limits, Room room, ChannelCounters counters) {
    return place.namespace().mode() == Mode.LATEST
        ? new LatestFeed(place, limits, room, counters)
        : new StreamFeed(place, limits, room, counters);
  }

  /** How many records before a position are read to know what the log was like there. */
  static int lookBack(Place place, ChannelLimits limits) {
    return Math.max(EPOCHS_BACK, repeatRecords(place, limits));
  }

  /**
   * Within how many records a repeat is known: none where nobody gives a message an id, and none in
   * mode {@code latest}. There the log's last record of a key is its value, whatever its id: once
   * compaction has removed the first of two with the same id, who loads the partition takes the
   * second, and all others must have taken it too.
   */
  static int repeatRecords(Place place, ChannelLimits limits) {
    Namespace of = place.namespace();
    boolean none = of.publish() == Publishers.NONE || of.mode() == Mode.LATEST;
    return none ? 0 : limits.repeatRecords();
  }

  final Place place() {
    return place;
  }

  /** The offset after the last record, or gap in the offsets, that was passed. Any thread. */
  final long next() {
    return next;
  }

  /** Whether nothing will come any more. Any thread. */
  final boolean ended() {
    return ended;
  }

  /** The epochs of what was passed. */
  final Epochs epochs() {
    return epochs;
  }

  /** Leader epoch of what lies before the start; below 0 when that is not known. */
  final int startEpoch() {
    return startEpoch;
  }

  /** Takes a record from before the feed's start: for its id, its epoch, and its value. */
  final void warm(ChannelEvent event) {
    boolean repeat = window.repeats(event.offset(), event.msgId());
    pass(event);
    if (!repeat) {
      keep(event);
    }
  }

  /** Begins to be live. */
  void start(long offset) {
    startEpoch = epochs.last();
    next = offset;
  }

  /** The next record. */
  final void append(ChannelEvent event, long nowMs) {
    if (event.offset() < next) {
      return;
    }
    pass(event);
    counters.records.increment();
    if (window.repeats(event.offset(), event.msgId())) {
      counters.repeats.increment();
    } else {
      deliver(event, audience.of(event.key()), nowMs);
    }
  }

  private void pass(ChannelEvent event) {
    next = event.offset() + 1;
    epochs.note(event.offset(), event.epoch());
    weigh(event);
  }

  /**
   * There are no more records before {@code offset}: what lies between are Kafka's own.
   *
   * @param epoch leader epoch of what ends at {@code offset}; below 0: not known
   */
  final void advance(long offset, int epoch) {
    if (offset > next) {
      next = offset;
      epochs.note(offset - 1, epoch);
    }
  }

  /** A record was passed, a repeat or not. */
  abstract void weigh(ChannelEvent event);

  /** A record from before the start that is no repeat. */
  abstract void keep(ChannelEvent event);

  /** A record that is no repeat, for these. */
  abstract void deliver(ChannelEvent event, @Nullable List<Subscription> to, long nowMs);

  /** A subscription that has not had anything here yet. */
  abstract Join join(Subscription s, long nowMs);

  /** One that cannot go on where it stood. */
  abstract void joinAnew(Subscription s, String reason, long nowMs);

  /** Whether it keeps newest values. */
  abstract boolean latest();

  /** Sends what waits and may go now; whether something still waits. */
  boolean flush(long nowMs) {
    return false;
  }

  /** Why what it must keep does not fit, so that the feed must end; null: it does. */
  @Nullable String overflow() {
    return null;
  }

  /** Keeps no more than its share of what there is for all. */
  void shrink() {}

  /** Keeps nothing any more. */
  final void release() {
    window.close();
    drop();
  }

  /** Keeps no events any more. */
  abstract void drop();

  /** One is live from now on. */
  final void add(Subscription s) {
    audience.add(s, this);
  }

  /** Keeps a subscription that stands after the end of what was seen until {@link #arrived}. */
  final void park(Subscription s) {
    s.settle(this, PARKED);
    ahead.add(s);
  }

  /** Takes a parked subscription out; whether it was parked. */
  final boolean unpark(Subscription s) {
    if (s.home() != this || s.slot() != PARKED) {
      return false;
    }
    s.settle(null, 0);
    return ahead.remove(s);
  }

  /** Those who are parked. */
  final List<Subscription> parked() {
    return List.copyOf(ahead);
  }

  /** Takes out those who were parked and can join by now. */
  final List<Subscription> arrived() {
    if (ahead.isEmpty()) {
      return List.of();
    }
    List<Subscription> those = new ArrayList<>();
    for (Subscription s : List.copyOf(ahead)) {
      if (s.next() <= next && unpark(s)) {
        those.add(s);
      }
    }
    return those;
  }

  /** A subscription that is live here, or parked, ends. */
  final void leave(Subscription s) {
    if (!unpark(s) && s.home() == this) {
      audience.remove(s, this);
    }
  }

  /**
   * Tells those whose channels are quiet that they have had everything, so that they need not read
   * all of a busy partition when they come back.
   *
   * @param behind offsets that must have passed since they were told last
   */
  final void tellPositions(long behind) {
    audience.forEach(s -> s.passed(place, next, epochs.last(), behind));
  }

  /** Whether nobody is subscribed, or to come back. */
  boolean unused() {
    return audience.isEmpty() && ahead.isEmpty();
  }

  /** Everybody who is live or waits to be; the feed has none afterwards. */
  List<Subscription> abandon() {
    ended = true;
    List<Subscription> all = new ArrayList<>(ahead);
    audience.forEach(all::add);
    all.forEach(Subscription::lost);
    audience.clear();
    ahead.clear();
    release();
    return all;
  }
}
