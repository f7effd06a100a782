package dev.holdfast.edge.channel;

/**
 * Where a partition's log begins by now.
 *
 * @param offset the oldest that is kept; from 0
 * @param epoch leader epoch of what is there, or of the leader while nothing is: what lay before it
 *     was no newer; below 0: the broker did not tell
 */
record LogStart(long offset, int epoch) {}
