package dev.holdfast.edge.channel;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Partitions whose newest values were too many to be kept; they are left alone for a while. */
final class Overflows {
  private static final Logger LOG = LoggerFactory.getLogger(Overflows.class);

  /** Milliseconds after which one is tried again. */
  private static final long ALONE_MS = 60_000;

  private record Overflow(long untilMs, String why) {}

  private final Map<TopicPartition, Overflow> all = new HashMap<>();

  /** Too many of them: {@code why}. */
  void add(TopicPartition partition, String why, long nowMs) {
    LOG.atWarn().log("{}; for a minute whoever subscribes there is told so", why);
    all.put(partition, new Overflow(nowMs + ALONE_MS, why));
  }

  /** Why a partition is left alone; null when it is not. */
  @Nullable String why(TopicPartition partition, long nowMs) {
    Overflow one = all.get(partition);
    return one == null || one.untilMs() <= nowMs ? null : one.why();
  }

  /** Forgets those whose time has come. */
  void tick(long nowMs) {
    all.values().removeIf(one -> one.untilMs() <= nowMs);
  }
}
