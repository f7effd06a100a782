package dev.holdfast.edge.channel;

import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.channel.Namespace.Publishers;
import dev.holdfast.channel.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One partition as it is followed live. Plain code without Kafka; one thread.
 *
 * <p>How nothing is missed or sent twice. Records come in order of offsets, each once. A live
 * subscription has had everything before {@link #next} that is its, since it was added when the
 * tail reached back to its cursor, and was sent the rest of it in the same step. A subscription
 * whose cursor lies before the tail is sent nothing here: it reads older records elsewhere ({@link
 * Pass}) until the tail reaches its cursor, and is added then. Both ways go through the
 * subscription's cursor, which drops what it had.
 */
final class Feed {
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
  private final ChannelLimits limits;
  private final ChannelCounters counters;
  private final RepeatWindow window;
  private final Epochs epochs = new Epochs();
  private final Tail tail;
  private final @Nullable LatestValues values;
  private final Map<String, List<Subscription>> live = new HashMap<>();
  private final Set<Subscription> waiting = new HashSet<>();
  private final List<Subscription> dirty = new ArrayList<>();
  private final List<Subscription> ahead = new ArrayList<>();
  private volatile long next;
  private volatile long tailFrom;
  private volatile boolean ended;
  private long recordBytes;
  private long records;
  private long newestTs;
  private int startEpoch = Epochs.UNKNOWN;
  private int size;
  private int away;

  Feed(Place place, ChannelLimits limits, ChannelCounters counters) {
    this.place = place;
    this.limits = limits;
    this.counters = counters;
    boolean latest = place.namespace().mode() == Mode.LATEST;
    this.window = new RepeatWindow(repeatRecords(place, limits));
    this.tail = new Tail(limits.tailBytes(), limits.tailRecords());
    this.values = latest ? new LatestValues(limits.latestBytes()) : null;
  }

  /** How many records before a position are read to know what the log was like there. */
  static int lookBack(Place place, ChannelLimits limits) {
    return Math.max(EPOCHS_BACK, repeatRecords(place, limits));
  }

  /** Within how many records a repeat is known: none where nobody gives a message an id. */
  static int repeatRecords(Place place, ChannelLimits limits) {
    return place.namespace().publish() == Publishers.NONE ? 0 : limits.repeatRecords();
  }

  Place place() {
    return place;
  }

  /** The offset after the last record, or gap in the offsets, that was passed. Any thread. */
  long next() {
    return next;
  }

  /** First offset from which the tail has everything. Any thread. */
  long tailFrom() {
    return tailFrom;
  }

  /** Whether nothing will come any more. Any thread. */
  boolean ended() {
    return ended;
  }

  /** Takes a record from before the feed's start: for its ids, its epoch, and its value. */
  void warm(ChannelEvent event) {
    boolean repeat = window.repeats(event.offset(), event.msgId());
    epochs.note(event.offset(), event.epoch());
    next = event.offset() + 1;
    weigh(event);
    if (values != null && !repeat) {
      values.put(event);
    }
  }

  /** Begins to be live. */
  void start(long offset) {
    startEpoch = epochs.last();
    next = offset;
    tail.start(offset);
    tailFrom = offset;
  }

  /** Leader epoch of what lies before the start; below 0 when that is not known. */
  int startEpoch() {
    return startEpoch;
  }

  /** The next record. */
  void append(ChannelEvent event, long nowMs) {
    if (event.offset() < next) {
      return;
    }
    next = event.offset() + 1;
    epochs.note(event.offset(), event.epoch());
    weigh(event);
    counters.records.increment();
    if (window.repeats(event.offset(), event.msgId())) {
      counters.repeats.increment();
      return;
    }
    List<Subscription> subscribers = live.get(event.key());
    if (values == null) {
      tail.add(event);
      tailFrom = tail.from();
      if (subscribers != null) {
        for (int i = subscribers.size() - 1; i >= 0; i--) {
          subscribers.get(i).send(event, place);
        }
      }
    } else {
      values.put(event);
      if (subscribers != null) {
        for (int i = subscribers.size() - 1; i >= 0; i--) {
          offer(subscribers.get(i), event, nowMs);
        }
      }
    }
  }

  private void offer(Subscription to, ChannelEvent event, long nowMs) {
    if (to.offer(event, place, nowMs) && waiting.add(to)) {
      dirty.add(to);
    }
  }

  /**
   * There are no more records before {@code offset}: what lies between are Kafka's own.
   *
   * @param epoch leader epoch of what ends at {@code offset}; below 0: not known
   */
  void advance(long offset, int epoch) {
    if (offset > next) {
      next = offset;
      epochs.note(offset - 1, epoch);
    }
  }

  /** A subscription that has not had anything here yet. */
  Join join(Subscription s, long nowMs) {
    if (values != null) {
      return joinLatest(s, nowMs);
    }
    String lost = s.contradicts(place);
    if (lost != null) {
      s.restart(place, next, epochs.last(), lost);
    } else if (s.next() > next) {
      return Join.AHEAD;
    } else if (farther(s, limits.replayBytes())) {
      s.restart(place, next, epochs.last(), Reasons.TOO_FAR);
    } else if (!reaches(s)) {
      away++;
      return Join.BEHIND;
    } else if (forked(s)) {
      s.restart(place, next, epochs.last(), Reasons.TRUNCATED);
    } else {
      s.recovered(place);
    }
    goLive(s);
    return Join.LIVE;
  }

  /** Keeps a subscription that stands after the end of what was seen until {@link #arrived}. */
  void park(Subscription s) {
    s.settle(this, PARKED);
    ahead.add(s);
  }

  /** Takes a parked subscription out; whether it was parked. */
  boolean unpark(Subscription s) {
    if (s.home() != this || s.slot() != PARKED) {
      return false;
    }
    s.settle(null, 0);
    return ahead.remove(s);
  }

  /** Those who are parked. */
  List<Subscription> parked() {
    return List.copyOf(ahead);
  }

  /** Takes out those who were parked and can join by now. */
  List<Subscription> arrived() {
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

  /** One that cannot go on where it stood. */
  void joinAnew(Subscription s, String reason, long nowMs) {
    if (values != null) {
      show(s, values, reason, nowMs);
    } else {
      s.restart(place, next, epochs.last(), reason);
      add(s);
    }
  }

  /** A subscription that was away to read older records; whether it is live now. */
  boolean splice(Subscription s) {
    away--;
    if (!s.closed() && (s.next() < tail.from() || !fits(s))) {
      away++;
      return false;
    }
    Position stands = s.stands();
    if (!s.closed() && stands != null && epochs.doubt(stands)) {
      // The log was cut off behind it while it was on its way here.
      joinAnew(s, Reasons.TRUNCATED, 0);
    } else if (!s.closed()) {
      goLive(s);
    }
    return true;
  }

  /** One that was away will not come back. */
  void awayNoMore() {
    away--;
  }

  private Join joinLatest(Subscription s, long nowMs) {
    LatestValues newest = values;
    if (newest == null || newest.overflown()) {
      return Join.OVERFLOWN;
    }
    String lost = s.contradicts(place);
    if (lost == null && s.next() > next) {
      return Join.AHEAD;
    }
    if (lost == null && forked(s)) {
      lost = Reasons.TRUNCATED;
    }
    show(s, newest, lost, nowMs);
    return Join.LIVE;
  }

  /**
   * Begins to show a key's newest value.
   *
   * @param lost why it begins anew; null when its client saw what was up to its position
   */
  private void show(Subscription s, LatestValues newest, @Nullable String lost, long nowMs) {
    if (lost == null) {
      s.recovered(place);
    } else {
      s.restart(place, 0, Epochs.UNKNOWN, lost);
    }
    ChannelEvent value = newest.of(s.key());
    if (value == null && lost == null && s.next() < next) {
      // What it may have seen is gone.
      value = new ChannelEvent(next - 1, epochs.last(), s.key(), newestTs, null, null, null);
    }
    add(s);
    if (value != null) {
      offer(s, value, nowMs);
    }
  }

  private boolean farther(Subscription s, long bytes) {
    long average = records == 0 ? 1_024 : recordBytes / records;
    return (next - s.next()) * average > bytes;
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
            || epochs.at(s.next() - 1) != Epochs.UNKNOWN;
    return checkable && s.listener().queued() <= Resumer.RESUME_BYTES && fits(s);
  }

  /** Whether what the tail has for it is little enough to be sent at once. */
  private boolean fits(Subscription s) {
    return missed(s) <= limits.tailBytes() / 8;
  }

  private long missed(Subscription s) {
    long bytes = 0;
    for (ChannelEvent event : tail.of(s.key())) {
      bytes += event.offset() >= s.next() ? event.bytes() : 0;
    }
    return bytes;
  }

  /** Whether the log went on differently before the subscription's position. */
  private boolean forked(Subscription s) {
    Position from = s.from();
    return from != null && epochs.contradict(from);
  }

  private void goLive(Subscription s) {
    for (ChannelEvent event : tail.of(s.key())) {
      s.send(event, place);
    }
    s.passed(place, next, epochs.last(), Long.MAX_VALUE);
    add(s);
  }

  private void add(Subscription s) {
    List<Subscription> subscribers = live.computeIfAbsent(s.key(), key -> new ArrayList<>(1));
    s.settle(this, subscribers.size());
    subscribers.add(s);
    size++;
  }

  /** A subscription that is live here ends. */
  void leave(Subscription s) {
    if (unpark(s)) {
      return;
    }
    List<Subscription> subscribers = live.get(s.key());
    if (s.home() != this || subscribers == null) {
      return;
    }
    Subscription last = subscribers.remove(subscribers.size() - 1);
    if (last != s) {
      subscribers.set(s.slot(), last);
      last.settle(this, s.slot());
    }
    s.settle(null, 0);
    size--;
    if (subscribers.isEmpty()) {
      live.remove(s.key());
    }
  }

  /** Sends what waits and may go now; whether something still waits. */
  boolean flush(long nowMs) {
    for (int i = dirty.size() - 1; i >= 0; i--) {
      Subscription s = dirty.get(i);
      if (s.flush(place, nowMs)) {
        waiting.remove(s);
        Subscription last = dirty.remove(dirty.size() - 1);
        if (i < dirty.size()) {
          dirty.set(i, last);
        }
      }
    }
    return !dirty.isEmpty();
  }

  /**
   * Tells those whose channels are quiet that they have had everything, so that they need not read
   * all of a busy partition when they come back.
   *
   * @param behind offsets that must have passed since they were told last
   */
  void tellPositions(long behind) {
    for (List<Subscription> subscribers : live.values()) {
      for (Subscription s : subscribers) {
        s.passed(place, next, epochs.last(), behind);
      }
    }
  }

  /** Whether it keeps newest values. */
  boolean latest() {
    return values != null;
  }

  /** Whether values of the mode {@code latest} no longer fit, so that the feed must end. */
  boolean overflown() {
    return values != null && values.overflown();
  }

  /** Whether nobody is subscribed, or away to come back. */
  boolean unused() {
    return size == 0 && away == 0 && ahead.isEmpty();
  }

  /** Everybody who is live or waits to be; the feed has none afterwards. */
  List<Subscription> abandon() {
    ended = true;
    List<Subscription> all = new ArrayList<>(ahead);
    live.values().forEach(all::addAll);
    all.forEach(Subscription::lost);
    live.clear();
    dirty.clear();
    waiting.clear();
    ahead.clear();
    size = 0;
    return all;
  }

  private void weigh(ChannelEvent event) {
    records++;
    newestTs = event.ts();
    recordBytes += event.bytes();
  }
}
