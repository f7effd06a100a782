package dev.holdfast.edge.channel;

/** Who reads what is older than what is followed; the answers come to {@link Live}. */
interface Replay {
  /** The topics as they were last looked at. */
  Places places();

  /** Finds out where a subscription's channel lies, by looking at the topic now. */
  void locate(Subscription s);

  /** Gets a partition ready to be followed. */
  void load(Place place);

  /**
   * Lets a subscription catch up.
   *
   * @param near offsets short of the feed at which it goes over to it
   */
  void resume(Subscription s, StreamFeed feed, long near);

  /** Finds out whether a position is within the log. */
  void checkEnd(Subscription s, Feed feed);
}
