package dev.holdfast.edge.channel;

import dev.holdfast.edge.session.Channels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A question about the past of a channel where it was before its topic had more partitions. Its
 * last page leads to where the channel is now, so that whoever pages on misses nothing.
 */
final class PastBefore implements Channels.Past {
  private final Channels.Past to;
  private final String on;

  /**
   * @param on the position at which the channel begins where it is now
   */
  PastBefore(Channels.Past to, String on) {
    this.to = to;
    this.on = on;
  }

  @Override
  public void events(List<byte[]> events, String position, boolean more, @Nullable String lost) {
    to.events(events, more ? position : on, true, lost);
  }

  @Override
  public void unavailable(String why) {
    to.unavailable(why);
  }

  @Override
  public boolean gone() {
    return to.gone();
  }
}
