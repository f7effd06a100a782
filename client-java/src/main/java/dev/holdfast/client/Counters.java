package dev.holdfast.client;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Counts on the loop, is read by anybody. */
final class Counters {
  private static final int PLACES = 10;
  private static final int MOST_CODES = 100;
  private static final long SHORT_MS = 5_000;
  private static final long MEDIUM_MS = 60_000;

  final LongAdder attempts = new LongAdder();
  final LongAdder connects = new LongAdder();
  final LongAdder sent = new LongAdder();
  final LongAdder resent = new LongAdder();
  final LongAdder received = new LongAdder();
  final LongAdder duplicates = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder pings = new LongAdder();
  final LongAdder misses = new LongAdder();
  private final Map<Integer, LongAdder> closes = new ConcurrentHashMap<>();
  private final AtomicLongArray outages = new AtomicLongArray(3);
  private final AtomicLongArray byAttempt = new AtomicLongArray(PLACES);
  private final LongAdder recoveries = new LongAdder();
  private final LongAdder recoverSum = new LongAdder();
  private final AtomicLong recoverMax = new AtomicLong();

  void closed(int code) {
    if (closes.size() < MOST_CODES || closes.containsKey(code)) {
      closes.computeIfAbsent(code, c -> new LongAdder()).increment();
    }
  }

  /** A connection succeeded at the {@code tries}-th attempt, {@code outageMs} after an end. */
  void back(int tries, long outageMs) {
    byAttempt.incrementAndGet(Math.min(Math.max(tries, 1), PLACES) - 1);
    outages.incrementAndGet(outageMs < SHORT_MS ? 0 : outageMs <= MEDIUM_MS ? 1 : 2);
  }

  void recovered(long ms) {
    recoveries.increment();
    recoverSum.add(ms);
    recoverMax.accumulateAndGet(ms, Math::max);
  }

  Metrics snapshot() {
    Map<Integer, Long> codes = new ConcurrentHashMap<>();
    closes.forEach((code, count) -> codes.put(code, count.sum()));
    Long[] attemptsUsed = new Long[PLACES];
    Arrays.setAll(attemptsUsed, byAttempt::get);
    return new Metrics(
        attempts.sum(),
        connects.sum(),
        codes,
        new Metrics.Outages(outages.get(0), outages.get(1), outages.get(2)),
        List.of(attemptsUsed),
        new Metrics.Summary(recoveries.sum(), recoverSum.sum(), recoverMax.get()),
        sent.sum(),
        resent.sum(),
        received.sum(),
        duplicates.sum(),
        dropped.sum(),
        pings.sum(),
        misses.sum());
  }
}
