package dev.holdfast.edge.channel;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A partition with a record that cannot be read (D13). Kafka names it in the failure's text alone.
 */
record Damaged(TopicPartition partition, String text) {
  private static final Pattern OFFSET = Pattern.compile(" offset (\\d+)");

  /** What a failed read says of one of {@code partitions}; null when it names none. */
  static @Nullable Damaged in(KafkaException failure, Set<TopicPartition> partitions) {
    TopicPartition named = named(failure.getMessage(), partitions);
    if (named == null) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    for (Throwable e = failure; e != null; e = e.getCause()) {
      text.append(text.length() == 0 ? "" : "; ").append(e.getMessage());
    }
    return new Damaged(named, text.toString());
  }

  /** The one of {@code partitions} that the text names; null when it names none. */
  static @Nullable TopicPartition named(@Nullable String text, Set<TopicPartition> partitions) {
    if (text == null) {
      return null;
    }
    for (TopicPartition partition : partitions) {
      String name =
          "(?<![A-Za-z0-9._-])" + Pattern.quote(partition.toString()) + "(?![0-9A-Za-z_-])";
      if (Pattern.compile(name).matcher(text).find()) {
        return partition;
      }
    }
    return null;
  }

  /** What subscribers are told. */
  String why() {
    return partition + " cannot be read: a record in it is damaged";
  }

  /** What the operator is told: where it is, and what can be done about it. */
  String advice() {
    Matcher at = OFFSET.matcher(text);
    String offset = at.find() ? at.group(1) : "";
    return partition
        + " cannot be read at offset "
        + (offset.isEmpty() ? "(unknown)" : offset)
        + ": its subscribers are told unavailable until it can. If another replica is sound, make"
        + " it the leader; otherwise give up what lies before the next readable offset with"
        + " kafka-delete-records. ("
        + text
        + ")";
  }
}
