package dev.holdfast.edge.channel;

import dev.holdfast.channel.ChannelHeaders;

/**
 * What an edge bounds of its channels; {@code docs/limits.md} lists them.
 *
 * @param subscriptions channels one connection may subscribe to; beyond: {@code too_many}
 * @param nodeSubscriptions subscriptions of all connections; beyond: {@code overloaded}
 * @param eventBytes longest payload, in bytes of JSON; beyond: {@code unreadable} {@code too_large}
 * @param tailBytes bytes of the newest records kept of one partition
 * @param tailRecords the same in records
 * @param latestBytes bytes of newest values kept of one partition of mode {@code latest}; beyond:
 *     {@code unavailable}, for a minute without another look
 * @param repeatRecords within how many records of a partition a repeated message is known
 * @param replayBytes estimated bytes that a subscription may be behind; beyond: {@code too_far}
 * @param stalledMs milliseconds that one who catches up may leave his queue full; beyond: 4004
 * @param historyEvents most events in one answer about the past
 * @param historyBytes bytes of events after which such an answer ends
 * @param historyScan records of a partition that are read for one such answer
 * @param historyQueries such answers under way at once; beyond: 503
 */
public record ChannelLimits(
    int subscriptions,
    int nodeSubscriptions,
    int eventBytes,
    int tailBytes,
    int tailRecords,
    long latestBytes,
    int repeatRecords,
    long replayBytes,
    long stalledMs,
    int historyEvents,
    int historyBytes,
    int historyScan,
    int historyQueries) {
  /** The defaults; {@code docs/limits.md} gives the reason for each. */
  public static final ChannelLimits DEFAULT =
      new ChannelLimits(
          1_000,
          200_000,
          256 * 1024,
          4 * 1024 * 1024,
          16_384,
          64L * 1024 * 1024,
          ChannelHeaders.REPEAT_RECORDS,
          256L * 1024 * 1024,
          30_000,
          1_000,
          1024 * 1024,
          50_000,
          200);
}
