package dev.holdfast.edge.channel;

import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One question about the past: some events of one channel, within a bound on what is read. */
final class PastReader implements Reader {
  private final String key;
  private final Place place;
  private final @Nullable Position after;
  private final int limit;
  private final int maxBytes;
  private final long maxScan;
  private final long end;
  private final Channels.Past to;
  private final List<byte[]> events = new ArrayList<>();
  private long next;
  private long bytes;
  private int epoch = Epochs.UNKNOWN;
  private long began = -1;
  private boolean full;
  private boolean answered;
  private @Nullable String lost;

  /**
   * @param after where it begins; null: at the oldest
   * @param limit most events
   * @param limits bytes of events, and offsets however few of them are the channel's, after which
   *     it ends
   * @param end the offset at which the log ends for it
   */
  PastReader(
      String key,
      Place place,
      @Nullable Position after,
      int limit,
      ChannelLimits limits,
      long end,
      Channels.Past to) {
    this.key = key;
    this.place = place;
    this.after = after;
    this.limit = Math.min(limit, limits.historyEvents());
    this.maxBytes = limits.historyBytes();
    this.maxScan = limits.historyScan();
    this.end = end;
    this.to = to;
    boolean other =
        after != null
            && !(after.topic().equals(place.topic()) && after.partition() == place.partition());
    this.next = after == null || other ? 0 : after.next();
    if (!other && next > end) {
      this.next = end;
      this.lost = Reasons.TRUNCATED;
    }
    if (other && after != null) {
      // Another partition of the same topic: one that this edge has not heard of yet.
      this.lost = after.topic().equals(place.topic()) ? Reasons.REPARTITIONED : Reasons.RECREATED;
    }
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public long next() {
    return next;
  }

  @Override
  public @Nullable Position claim() {
    return lost == null ? after : null;
  }

  @Override
  public boolean ready(long nowMs) {
    return true;
  }

  @Override
  public void begins(Place at) {
    began = next;
  }

  @Override
  public boolean take(ChannelEvent event, Place at, long nowMs) {
    if (full || event.offset() >= end) {
      return true;
    }
    byte[] frame = event.frame(at);
    events.add(frame);
    bytes += frame.length;
    next = event.offset() + 1;
    epoch = event.epoch();
    full = events.size() >= limit || bytes >= maxBytes;
    return true;
  }

  @Override
  public void paused(Place at, long offset, int lastEpoch) {
    throw new IllegalStateException("it takes whatever comes");
  }

  @Override
  public void lost(Place at, String reason, long kept) {
    if (lost == null && after != null) {
      lost = reason;
    }
    next = Math.max(next, kept);
  }

  @Override
  public boolean reached(long offset, int lastEpoch) {
    if (gone()) {
      return true;
    }
    boolean tired = began >= 0 && offset - began >= maxScan;
    if (!full && !tired && offset < end) {
      return false;
    }
    answered = true;
    if (!full) {
      next = Math.max(next, Math.min(offset, end));
      epoch = lastEpoch;
    }
    boolean more = next < end;
    to.events(events, place.position(next, epoch), more, lost);
    return true;
  }

  @Override
  public boolean gone() {
    return answered || to.gone();
  }

  @Override
  public void cutOff(long at) {
    failed("its log was cut off");
  }

  @Override
  public boolean beyond(long at) {
    return at < end;
  }

  @Override
  public void uprooted() {
    failed("its topic was made anew");
  }

  @Override
  public void failed(String why) {
    if (!answered) {
      answered = true;
      to.unavailable(why);
    }
  }
}
