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
 * {@link dev.holdfast.edge.channel.Feeds} and {@link dev.holdfast.edge.channel.Rereads} keep these
 * and decide what becomes of a subscription. All four are plain code, which a test plays against a
 * model in orders of chance; the two threads around them only move records and tasks.
 */
@NullMarked
package dev.holdfast.edge.channel;

import org.jspecify.annotations.NullMarked;
