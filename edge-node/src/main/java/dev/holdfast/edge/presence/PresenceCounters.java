package dev.holdfast.edge.presence;

import dev.holdfast.metrics.Latency;
import java.util.concurrent.atomic.LongAdder;

/** What an edge counts of presence since its start. Written by anybody, read by metrics. */
public final class PresenceCounters {
  /** Records that were read. */
  public final LongAdder records = new LongAdder();

  /** Records that could not be read, or lay on a partition that is not their key's. */
  public final LongAdder unreadable = new LongAdder();

  /** Records that were older than what was known. */
  public final LongAdder older = new LongAdder();

  /** Watches and lookups that were told to come later. */
  public final LongAdder gaveUp = new LongAdder();

  /** Times a partition was read anew since its position was gone or its topic another one. */
  public final LongAdder reread = new LongAdder();

  /** From the append of the causing event until all of this edge's watchers were told. */
  public final Latency toWatchers = new Latency();

  /** Partitions that are read. */
  public volatile int partitions;

  /** Bytes of what is kept of them, estimated high. */
  public volatile long bytes;

  /** Watches of all connections. */
  public volatile int watches;
}
