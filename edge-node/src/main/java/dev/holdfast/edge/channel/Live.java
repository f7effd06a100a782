package dev.holdfast.edge.channel;

import org.jspecify.annotations.Nullable;

/** Who follows partitions, as {@link Replay} sees him. Any thread may call. */
interface Live {
  /** Where the subscription's channel lies. */
  void located(Subscription s, Place place);

  /** A partition is ready to be followed. */
  void loaded(Feed feed);

  /**
   * A partition cannot be followed.
   *
   * @param why null when the topic is another one now, so that its place is to be looked for anew
   */
  void notLoaded(Place place, @Nullable String why);

  /**
   * A subscription is back from reading older records.
   *
   * @param reason why it cannot go on where it stands; null when it can
   */
  void back(Resumer resumer, @Nullable String reason);

  /** Whether a position after the end of what was seen is within the log. */
  void ahead(Subscription s, Feed feed, boolean within);

  /**
   * A topic is not any more what it was: who follows it looks for it anew.
   *
   * @param gone why it cannot be read; null when it is there
   */
  void changed(String topic, @Nullable String gone);
}
