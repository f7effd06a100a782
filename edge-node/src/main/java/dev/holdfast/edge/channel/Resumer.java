package dev.holdfast.edge.channel;

import dev.holdfast.channel.Position;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A subscription that catches up: it reads older records until the feed's tail reaches its cursor.
 * It takes no more than its client does, so that a slow one fills no queue and holds up nobody.
 */
final class Resumer implements Reader {
  /** Bytes in the client's queue beyond which it is waited for. */
  static final long PAUSE_BYTES = 512 * 1024;

  /** Bytes below which it goes on. */
  static final long RESUME_BYTES = 128 * 1024;

  /** Offsets short of the feed at which it goes over to it. */
  static final long NEAR = 256;

  /** The same where what was sent meanwhile was too much to be sent at once. */
  static final long NEARER = 4;

  private final Subscription subscription;
  private final StreamFeed feed;
  private final long stalledMs;
  private final long near;
  private final BiConsumer<Resumer, @Nullable String> back;
  private long pausedMs = -1;
  private boolean over;

  /**
   * @param near offsets short of the feed at which it goes over to it
   * @param stalledMs milliseconds that its client may take nothing
   * @param back told once when it is over: with null, to go on live; otherwise with the reason why
   *     it cannot
   */
  Resumer(
      Subscription subscription,
      StreamFeed feed,
      long near,
      long stalledMs,
      BiConsumer<Resumer, @Nullable String> back) {
    this.subscription = subscription;
    this.feed = feed;
    this.near = near;
    this.stalledMs = stalledMs;
    this.back = back;
  }

  Subscription subscription() {
    return subscription;
  }

  StreamFeed feed() {
    return feed;
  }

  @Override
  public String key() {
    return subscription.key();
  }

  @Override
  public long next() {
    return subscription.next();
  }

  @Override
  public @Nullable Position claim() {
    return subscription.stands();
  }

  @Override
  public boolean ready(long nowMs) {
    if (subscription.listener().queued() <= RESUME_BYTES) {
      pausedMs = -1;
      return true;
    }
    if (pausedMs < 0) {
      pausedMs = nowMs;
    } else if (nowMs - pausedMs > stalledMs) {
      subscription.listener().stalled();
    }
    return false;
  }

  @Override
  public void begins(Place place) {
    subscription.recovered(place);
  }

  @Override
  public boolean take(ChannelEvent event, Place place, long nowMs) {
    if (subscription.listener().queued() > PAUSE_BYTES) {
      return false;
    }
    subscription.send(event, place);
    return true;
  }

  @Override
  public void paused(Place place, long offset, int epoch) {
    subscription.passed(place, offset, epoch, Long.MAX_VALUE);
  }

  @Override
  public void lost(Place place, String reason, long kept) {
    end(reason);
  }

  @Override
  public boolean reached(long offset, int lastEpoch) {
    // A log that was cut off may never again come to where a feed that has ended was.
    if (!gone() && !feed.ended()) {
      if (offset < Math.max(next(), feed.tailFrom()) || offset < feed.next() - near) {
        return false;
      }
      begins(feed.place());
      subscription.passed(feed.place(), offset, lastEpoch, Long.MAX_VALUE);
    }
    end(null);
    return true;
  }

  @Override
  public boolean gone() {
    return over || subscription.closed();
  }

  @Override
  public void cutOff(long end) {
    if (next() > end) {
      end(Reasons.TRUNCATED);
    }
  }

  @Override
  public boolean beyond(long end) {
    return false; // whoever follows notices, and its feed ends
  }

  @Override
  public void uprooted() {
    end(null);
  }

  @Override
  public void failed(String why) {
    if (!over) {
      subscription.refuse(why);
      end(null);
    }
  }

  private void end(@Nullable String reason) {
    if (!over) {
      over = true;
      back.accept(this, reason);
    }
  }
}
