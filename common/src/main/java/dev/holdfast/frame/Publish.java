package dev.holdfast.frame;

import dev.holdfast.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/messages}, already checked.
 *
 * @param from the sender; {@code backend} unless the body names one
 * @param users the addressees, in the order named, without repeats; empty for a channel
 * @param channel the channel it goes to instead
 */
public record Publish(String from, List<String> users, @Nullable String channel, RawJson payload) {
  /** The sender of a body that names none. */
  public static final String BACKEND = "backend";
}
