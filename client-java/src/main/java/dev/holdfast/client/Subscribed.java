package dev.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * A subscription began or goes on.
 *
 * @param recovered everything after the position that the client had follows
 * @param reason why not, like {@code new} or {@code gap}; null when recovered
 */
public record Subscribed(
    String channel, String position, boolean recovered, @Nullable String reason) {}
