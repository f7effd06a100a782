package dev.holdfast.delivery.replay;

/**
 * What is read of one partition.
 *
 * @param lead offset at which reading begins
 * @param start offset of the first record of the range
 * @param end offset behind the last one
 */
record Span(long lead, long start, long end) {}
