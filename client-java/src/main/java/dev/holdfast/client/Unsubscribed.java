package dev.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * A subscription ended.
 *
 * @param reason the server's error code; null when the application asked for it
 * @param retrying whether the client asks for it again by itself
 */
public record Unsubscribed(String channel, @Nullable String reason, boolean retrying) {}
