package dev.holdfast.topic;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The topics; their names stand nowhere else. */
public enum Topics {
  /**
   * The one ordered log: key = user, value = an {@link dev.holdfast.record.Event} as JSON (D1). The
   * broker stamps the time, so that one producer's wrong clock decides nothing. Kept a day longer
   * than a mailbox's messages.
   */
  EVENTS(
      "holdfast.events",
      24,
      Map.of(
          "cleanup.policy", "delete",
          "message.timestamp.type", "LogAppendTime",
          "retention.ms", days(8),
          "max.message.bytes", "1048576")),

  /**
   * What edges write to sockets: the partition is the edge's, key = user, value = a {@link
   * dev.holdfast.record.Delivery}'s. Accepts twice the largest event (D13).
   */
  DELIVERIES(
      "holdfast.deliveries",
      24,
      Map.of(
          "cleanup.policy", "delete",
          "retention.ms", Long.toString(Duration.ofHours(1).toMillis()),
          "segment.bytes", "268435456",
          "max.message.bytes", "2097152")),

  /**
   * Who is online: key = user, value = JSON with {@code rev}; the newest {@code rev} counts (D15).
   */
  PRESENCE(
      "holdfast.presence",
      24,
      Map.of("cleanup.policy", "compact,delete", "retention.ms", days(40))),

  /** Records that could not be read, with their coordinates and the reason in headers (D13). */
  DEAD_LETTERS(
      "holdfast.dead-letters",
      6,
      Map.of("cleanup.policy", "delete", "retention.ms", days(7), "max.message.bytes", "2097152")),

  /**
   * The rules as last written, for looking them up; what counts is in every partition of events.
   */
  RULES("holdfast.rules", 1, Map.of("cleanup.policy", "compact"));

  private final String topic;
  private final int partitions;

  @SuppressWarnings("ImmutableEnumChecker") // Map.copyOf is immutable, its type does not say so.
  private final Map<String, String> config;

  Topics(String topic, int partitions, Map<String, String> config) {
    this.topic = topic;
    this.partitions = partitions;
    this.config = Map.copyOf(config);
  }

  /** The topic's name in Kafka. */
  public String topic() {
    return topic;
  }

  /** Partitions unless asked otherwise. */
  public int defaultPartitions() {
    return partitions;
  }

  /** Settings that {@code topics init} gives and {@code topics check} expects. */
  public Map<String, String> config() {
    return config;
  }

  /** All of them. */
  public static List<Topics> all() {
    return List.of(values());
  }

  private static String days(int n) {
    return Long.toString(Duration.ofDays(n).toMillis());
  }
}
