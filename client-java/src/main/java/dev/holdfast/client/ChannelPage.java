package dev.holdfast.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a channel's events that the application asked for.
 *
 * @param position ask again with {@code after} set to it while {@code more} is true
 * @param lost why the page does not begin where it was asked to; null when it does
 */
public record ChannelPage(
    List<ChannelEvent> events, String position, boolean more, @Nullable String lost) {
  public ChannelPage {
    events = List.copyOf(events);
  }
}
