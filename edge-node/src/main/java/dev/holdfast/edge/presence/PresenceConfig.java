package dev.holdfast.edge.presence;

/**
 * What an edge bounds of presence; {@code docs/limits.md} gives the reason for each and what
 * happens beyond it.
 *
 * @param watches users that one connection may watch
 * @param nodeWatches watches of all connections of one edge
 * @param presenceBytes bytes of records that are kept of the partitions somebody asks about,
 *     estimated high
 * @param lookups requests for a user's presence that may wait at once
 * @param presenceWaitMs milliseconds until whoever waits for a partition is told to come later
 * @param presenceIdleMs milliseconds after which a partition that nobody asks about is let go
 */
public record PresenceConfig(
    int watches,
    int nodeWatches,
    long presenceBytes,
    int lookups,
    long presenceWaitMs,
    long presenceIdleMs) {
  /** The defaults. */
  public static final PresenceConfig DEFAULT =
      new PresenceConfig(1_000, 500_000, 128L * 1024 * 1024, 1_000, 10_000, 300_000);

  /** The same with other bounds of the node. */
  public PresenceConfig with(int mostWatches, long mostBytes) {
    return new PresenceConfig(
        watches, mostWatches, mostBytes, lookups, presenceWaitMs, presenceIdleMs);
  }
}
