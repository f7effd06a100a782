package dev.holdfast.frame;

import org.jspecify.annotations.Nullable;

/**
 * A channel that a client subscribes to.
 *
 * @param channel a valid {@link dev.holdfast.channel.ChannelName}
 * @param position where it stands in the channel, as the server gave it; absent: from now on
 * @param maxRate most events a second that it wants, above 0; absent: every one. For channels of
 *     mode {@code latest}
 */
public record Wanted(String channel, @Nullable String position, @Nullable Double maxRate) {}
