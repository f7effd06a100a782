package dev.holdfast.edge.channel;

/**
 * A feed that is made ready: the newest records before its start are read for the message ids and
 * epochs in them, and all of them for the values of mode {@code latest}. It begins where the read
 * came to, so that the epoch before its start is known.
 */
final class Loading {
  private final Feed feed;
  private final long end;
  private final int lookBack;
  private final boolean all;

  /**
   * @param end the offset at which the feed is to begin, or not long after it
   */
  Loading(Feed feed, long end, ChannelLimits limits) {
    this.feed = feed;
    this.end = end;
    this.lookBack = Feed.lookBack(feed.place(), limits);
    this.all = feed.latest();
  }

  Feed feed() {
    return feed;
  }

  /** The offset before which the feed is not to begin. */
  long end() {
    return end;
  }

  /** The offset to read from. */
  long from(LogStart kept) {
    if (!all && kept.offset() < end - lookBack) {
      return end - lookBack;
    }
    feed.advance(kept.offset(), kept.epoch());
    return kept.offset();
  }

  /** The next record. */
  void record(ChannelEvent event) {
    feed.warm(event);
  }

  /** See {@link Feed#advance}. */
  void passed(long offset, int epoch) {
    feed.advance(offset, epoch);
  }

  /** Whether everything before {@code position} being read is enough; the feed then begins. */
  boolean done(long position) {
    if (position < end && feed.overflow() == null) {
      return false;
    }
    feed.start(position);
    return true;
  }
}
