/**
 * Channels: topics whose keys clients subscribe to (D11). Nothing here knows sockets.
 *
 * <pre>
 *              subscribe                       no further back than the tail
 *  session ───────────────> Follower ──┬──────────────────────────────────────> live
 *                              ^       │ further back            spliced by one cursor ^
 *                              │       └──> Reloader: one read for all who wait ───────┘
 *                              └── feeds, loaded by the Reloader
 * </pre>
 *
 * A {@link dev.holdfast.edge.channel.Feed} is one partition as it is followed live: who is
 * subscribed, the newest records, and the ids that a repeat is known by. A {@link
 * dev.holdfast.edge.channel.Pass} is one read of older records for all who wait on the partition.
 * Both are plain code; the two threads around them only move records and commands.
 */
@NullMarked
package dev.holdfast.edge.channel;

import org.jspecify.annotations.NullMarked;
