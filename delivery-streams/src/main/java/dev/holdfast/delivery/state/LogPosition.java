package dev.holdfast.delivery.state;

/**
 * Where in the log an event lies.
 *
 * @param partition of {@code holdfast.events}
 * @param offset in it
 * @param timestamp the broker's append time, milliseconds since 1970
 */
public record LogPosition(int partition, long offset, long timestamp) {}
