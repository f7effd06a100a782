package dev.holdfast.client.port;

/**
 * An answer to a GET.
 *
 * @param retryAfterMs what {@code Retry-After} asked for; -1 where it asked for nothing
 */
public record HttpAnswer(int status, String body, long retryAfterMs) {}
