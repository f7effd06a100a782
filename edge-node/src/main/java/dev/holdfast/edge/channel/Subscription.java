package dev.holdfast.edge.channel;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.frame.ServerFrames;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One subscription: its one cursor and where its frames go. Whatever comes, live or replayed, comes
 * through the cursor, so that nothing is sent twice. It belongs to one thread at a time, which
 * hands it on through a queue; only {@link #close} comes from anywhere.
 */
final class Subscription implements Channels.Handle {
  /** Bytes in a connection's queue beyond which its changes wait to be conflated. */
  private static final long CONFLATE_BYTES = 64 * 1024;

  private final Namespace namespace;
  private final ChannelName name;
  private final Channels.Listener to;
  private final long intervalMs;
  private final ChannelCounters counters;
  private final Consumer<Subscription> onClose;
  private @Nullable Position from;
  private boolean again;
  private long next;
  private int epoch;
  private long told;
  private int toldEpoch;
  private @Nullable ChannelEvent pending;
  private long sentMs;
  private @Nullable Feed home;
  private int slot;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param from where the client stands; null: nowhere yet
   * @param maxRate most events a second; 0: every one
   * @param onClose told once, on any thread
   */
  Subscription(
      Namespace namespace,
      ChannelName name,
      @Nullable Position from,
      double maxRate,
      Channels.Listener to,
      ChannelCounters counters,
      Consumer<Subscription> onClose) {
    this.namespace = namespace;
    this.name = name;
    this.from = from;
    this.to = to;
    this.intervalMs = maxRate == 0 ? 0 : (long) Math.ceil(1_000 / maxRate);
    this.sentMs = Long.MIN_VALUE / 2;
    this.counters = counters;
    this.onClose = onClose;
    this.next = from == null ? 0 : from.next();
    this.epoch = from == null ? Epochs.UNKNOWN : from.epoch();
    this.told = next;
    this.toldEpoch = epoch;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      onClose.accept(this);
    }
  }

  boolean closed() {
    return closed.get();
  }

  /** Ends it, and tells its client why, unless it has ended. */
  void refuse(String why) {
    if (!closed()) {
      to.unavailable(why);
      close();
    }
  }

  Namespace namespace() {
    return namespace;
  }

  String key() {
    return name.key();
  }

  boolean latest() {
    return namespace.mode() == Mode.LATEST;
  }

  /** The offset that it needs next. */
  long next() {
    return next;
  }

  /** Where the client says it stands; null: nowhere. */
  @Nullable Position from() {
    return from;
  }

  /** Where it stands, whatever its client was told; null: nowhere. */
  @Nullable Position stands() {
    Position claimed = from;
    return claimed == null ? null : new Position(claimed.topic(), claimed.partition(), next, epoch);
  }

  Channels.Listener listener() {
    return to;
  }

  /** Why the client's position says nothing about this place; null when it does. */
  @Nullable String contradicts(Place place) {
    Position claimed = from;
    if (claimed == null) {
      return Reasons.NEW;
    }
    if (!claimed.topic().equals(place.topic())) {
      return Reasons.RECREATED;
    }
    return claimed.partition() == place.partition() ? null : Reasons.REPARTITIONED;
  }

  /** Everything from its position on follows. */
  void recovered(Place place) {
    Position claimed = from;
    if (claimed != null && !again) {
      tell(place, claimed.next(), claimed.epoch(), true, null);
      counters.begun.count("recovered");
    }
    again = true;
  }

  /** It begins anew at {@code offset}; what was before is not sent. */
  void restart(Place place, long offset, int lastEpoch, String reason) {
    next = offset;
    epoch = lastEpoch;
    tell(place, offset, lastEpoch, false, reason);
    counters.begun.count(reason);
    again = true;
  }

  private void tell(Place place, long offset, int at, boolean recovered, @Nullable String reason) {
    told = offset;
    toldEpoch = at;
    from = new Position(place.topic(), place.partition(), offset, at);
    String position = place.position(offset, at);
    to.send(ServerFrames.subscribed(name.text(), position, recovered, reason, latest()));
  }

  /** Its feed is lost: it goes on where its client was told that it stands, or not far from it. */
  void lost() {
    Position before = from;
    if (before != null) {
      // No event of its channel lies between, and the log may have been cut off there.
      if (pending != null || next - told < Feed.TELL_AFTER) {
        next = told;
        epoch = toldEpoch;
      }
      from = new Position(before.topic(), before.partition(), next, epoch);
    }
    pending = null;
    home = null;
  }

  /** Sends an event of a {@code stream}, unless it had it. */
  void send(ChannelEvent event, Place place) {
    if (event.offset() >= next && !closed.get()) {
      next = event.offset() + 1;
      epoch = event.epoch();
      told = next;
      toldEpoch = epoch;
      counters.eventsSent.increment();
      to.send(event.frame(place));
    }
  }

  /**
   * Sends an event of {@code latest}, or keeps it for later.
   *
   * @return whether it waits, so that {@link #flush} is to be called
   */
  boolean offer(ChannelEvent event, Place place, long nowMs) {
    if (event.offset() < next || closed.get()) {
      return pending != null;
    }
    next = event.offset() + 1;
    epoch = event.epoch();
    if (pending != null) {
      counters.conflated.increment();
    }
    pending = event;
    return !flush(place, nowMs);
  }

  /** Sends what waits, if it may go now; returns whether nothing waits any more. */
  boolean flush(Place place, long nowMs) {
    ChannelEvent event = pending;
    if (event == null || closed.get()) {
      pending = null;
      return true;
    }
    if (nowMs - sentMs < intervalMs || to.queued() > CONFLATE_BYTES) {
      return false;
    }
    pending = null;
    sentMs = nowMs;
    told = event.offset() + 1;
    toldEpoch = event.epoch();
    counters.eventsSent.increment();
    to.send(event.frame(place));
    return true;
  }

  /** Everything before {@code offset} was there for it, and it is told so when that is news. */
  void passed(Place place, long offset, int lastEpoch, long behind) {
    if (offset > next) {
      next = offset;
      epoch = lastEpoch == Epochs.UNKNOWN ? epoch : lastEpoch;
    }
    if (pending == null && next - told >= behind) {
      progress(place, false);
    }
  }

  /** Tells where it stands. */
  void progress(Place place, boolean live) {
    told = next;
    toldEpoch = epoch;
    to.send(ServerFrames.progress(name.text(), place.position(next, epoch), live));
  }

  /** The feed that it is live in; null when it is in none. */
  @Nullable Feed home() {
    return home;
  }

  /** Its place among the feed's subscriptions of the same channel. */
  int slot() {
    return slot;
  }

  void settle(@Nullable Feed in, int at) {
    home = in;
    slot = at;
  }
}
