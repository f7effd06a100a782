package dev.holdfast.edge.channel;

import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Which partition a failed read is about: Kafka names it in the failure's text alone. */
final class Damaged {
  private Damaged() {}

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
}
