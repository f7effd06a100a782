package dev.holdfast.edge.channel;

import dev.holdfast.metrics.Latency;
import dev.holdfast.metrics.Tally;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What the channels of an edge counted since its start. */
public final class ChannelCounters {
  /** Records that were followed live. */
  public final LongAdder records = new LongAdder();

  /** Records that were read again for subscriptions and for answers about the past. */
  public final LongAdder recordsReplayed = new LongAdder();

  /** Events queued for clients. */
  public final LongAdder eventsSent = new LongAdder();

  /** Values that were overtaken by a newer one before they were sent. */
  public final LongAdder conflated = new LongAdder();

  /** Records that repeat a message. */
  public final LongAdder repeats = new LongAdder();

  /** Records whose key lies in another partition than the namespace's hash says. */
  public final LongAdder misplaced = new LongAdder();

  /** Events written for clients and backends. */
  public final LongAdder published = new LongAdder();

  /** Subscriptions by how they began. */
  public final Tally begun =
      new Tally(
          "recovered",
          Reasons.NEW,
          Reasons.GAP,
          Reasons.TOO_FAR,
          Reasons.RECREATED,
          Reasons.REPARTITIONED,
          Reasons.TRUNCATED);

  /** From a record's timestamp until it is queued for its subscribers. */
  public final Latency toSocket = new Latency();

  /** Subscriptions there are. */
  public final AtomicInteger subscriptions = new AtomicInteger();

  /** Partitions that are followed. */
  public final AtomicInteger feeds = new AtomicInteger();

  /** Subscriptions that catch up. */
  public final AtomicInteger catchingUp = new AtomicInteger();

  private volatile LongSupplier kept = () -> 0;

  void keeps(LongSupplier bytes) {
    kept = bytes;
  }

  /** Estimated bytes of newest values and tails that are kept. */
  public long keptBytes() {
    return kept.getAsLong();
  }
}
