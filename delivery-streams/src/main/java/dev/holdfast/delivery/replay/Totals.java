package dev.holdfast.delivery.replay;

import java.util.Map;

/**
 * What a range holds.
 *
 * @param send messages that are, or would be, sent
 * @param bytes of them, as events
 * @param tooOld messages among them that would not be recognised as repeats any more
 * @param not records that are no messages, by reason
 */
public record Totals(long send, long bytes, long tooOld, Map<String, Long> not) {}
