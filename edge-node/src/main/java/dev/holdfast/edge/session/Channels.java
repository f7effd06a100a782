package dev.holdfast.edge.session;

import dev.holdfast.RawJson;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.frame.ErrorCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The channels of an edge, as its connections see them. No method blocks; any thread may call. */
public interface Channels {
  /** An edge that has none. */
  Channels NONE = new NoChannels();

  /** Most subscriptions of one connection. */
  int mostPerConnection();

  /** The namespace of a channel; null when there is none. */
  @Nullable Namespace namespace(ChannelName channel);

  /**
   * Begins to send a channel's events.
   *
   * @param from where the client stands; null: it has no place yet
   * @param maxRate most events a second; 0: every one
   * @return null when the node has no room for another subscription
   */
  @Nullable Handle subscribe(
      Namespace namespace,
      ChannelName channel,
      @Nullable Position from,
      double maxRate,
      Listener to);

  /**
   * Writes an event.
   *
   * @param msgId the message's id, as text
   * @param from who publishes it
   * @param outcome told once, perhaps before this returns
   */
  void publish(
      Namespace namespace,
      ChannelName channel,
      String msgId,
      String from,
      RawJson payload,
      Published outcome);

  /** Told once how a publish ended, on a thread that must not be blocked. */
  interface Published {
    /** It is on all in-sync replicas. */
    void stored();

    /**
     * It is not, or not surely.
     *
     * @param code says whether it may come again
     */
    void refused(ErrorCode code, String why);
  }

  /** What answers about the past may be. */
  PastLimits pastLimits();

  /**
   * The bounds of answers about the past.
   *
   * @param events most events in one
   * @param bytes bytes of events after which one ends
   * @param eventBytes most bytes of one event's frame
   * @param answers most that are under way at once
   */
  record PastLimits(int events, int bytes, int eventBytes, int answers) {
    /** Most bytes of an answer with at most so many events. */
    public long most(int limit) {
      return Math.min((long) limit * eventBytes, (long) bytes + eventBytes);
    }
  }

  /**
   * Reads events that were.
   *
   * @param after where to begin; null: at the oldest that is kept
   * @param limit most events
   * @return false when too many are reading; nothing is told then
   */
  boolean past(
      Namespace namespace, ChannelName channel, @Nullable Position after, int limit, Past to);

  /** Who is told of the past, once. */
  interface Past {
    /**
     * @param events frames of events, in order
     * @param position after the last of them, or after what was read
     * @param more whether there may be more after {@code position}
     * @param lost why {@code events} does not begin where it was asked to; null when it does
     */
    void events(List<byte[]> events, String position, boolean more, @Nullable String lost);

    /** The channel cannot be read for now. */
    void unavailable(String why);

    /** Whether nobody waits for the answer any more. */
    boolean gone();
  }

  /** One subscription. */
  interface Handle {
    /** No more events are wanted; some may still be on their way. */
    void close();
  }

  /** Where a subscription's frames go. Called on threads of the channels, one at a time. */
  interface Listener {
    /**
     * A frame for the client; when its queue is full, its connection ends.
     *
     * @param frame not to be changed; others are sent the same
     */
    void send(byte[] frame);

    /** Bytes that wait for the client, in its queue. */
    long queued();

    /** The channel cannot be served for now; the subscription is over. */
    void unavailable(String why);

    /** The client has not made room for too long; its connection is to end. */
    void stalled();
  }
}
