package dev.holdfast.edge.channel;

/**
 * A topic as it was when it was looked at.
 *
 * @param tag see {@link dev.holdfast.channel.Position#tag}
 * @param partitions how many
 */
record Topic(String tag, int partitions) {}
