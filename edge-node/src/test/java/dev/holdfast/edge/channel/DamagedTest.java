package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DamagedTest {
  private static final TopicPartition ONE = new TopicPartition("ticks", 1);
  private static final Set<TopicPartition> ALL =
      Set.of(ONE, new TopicPartition("ticks", 11), new TopicPartition("my-ticks", 1));

  @Test
  @DisplayName("the partition that Kafka's text names, and none that only looks like it")
  void named() {
    assertThat(
            Damaged.named(
                "Received exception when fetching the next record from ticks-1. If needed, please"
                    + " seek past the record to continue consumption.",
                ALL))
        .isEqualTo(ONE);
    assertThat(
            Damaged.named(
                "Encountered corrupt message when fetching offset 5 for topic-partition ticks-11",
                ALL))
        .isEqualTo(new TopicPartition("ticks", 11));
    assertThat(Damaged.named("from my-ticks-12 and ticks-112", ALL)).isNull();
    assertThat(Damaged.named(null, ALL)).isNull();
  }

  @Test
  @DisplayName("the operator is told the partition, the offset and what to do")
  void advice() {
    KafkaException failure =
        new KafkaException(
            "Received exception when fetching the next record from ticks-1. If needed, please seek"
                + " past the record to continue consumption.",
            new KafkaException("Record batch for partition ticks-1 at offset 7 is invalid"));
    Damaged damaged = Objects.requireNonNull(Damaged.in(failure, ALL));
    assertThat(damaged.partition()).isEqualTo(ONE);
    assertThat(damaged.advice())
        .startsWith("ticks-1 cannot be read at offset 7:")
        .contains("make it the leader", "kafka-delete-records");
    assertThat(Damaged.in(new KafkaException("another"), ALL)).isNull();
  }
}
