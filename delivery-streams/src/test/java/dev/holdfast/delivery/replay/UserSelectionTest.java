package dev.holdfast.delivery.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.record.DeliveryHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class UserSelectionTest {
  private static final String NAMED =
      "{\"type\":\"message\",\"from\":\"ann\",\"clientId\":\"c\",\"clientMsgId\":\"1\",\"payload\":1}";
  private static final String UNNAMED = "{\"type\":\"message\",\"from\":\"ann\",\"payload\":1}";

  private final UserSelection bob = new UserSelection("bob", "EventsId", 8, 1_000);
  private final int home = bob.partitions().get(0).partition();

  private static ConsumerRecord<byte[], byte[]> record(
      int partition, long offset, long time, String key, String value) {
    return new ConsumerRecord<>(
        "holdfast.events",
        partition,
        offset,
        time,
        TimestampType.LOG_APPEND_TIME,
        key.length(),
        value.length(),
        key.getBytes(StandardCharsets.UTF_8),
        value.getBytes(StandardCharsets.UTF_8),
        new RecordHeaders(),
        Optional.empty());
  }

  private Choice.Send sent(ConsumerRecord<byte[], byte[]> record) {
    return (Choice.Send) bob.choose(record);
  }

  @Test
  void aRetryIsAsOldAsItsFirst() {
    assertThat(sent(record(home, 1, 500, "bob", NAMED)).firstMs()).isEqualTo(500);
    assertThat(sent(record(home, 9, 1_400, "bob", NAMED)).firstMs()).isEqualTo(500);
    assertThat(bob.leadMs()).as("as long before the range as a first can be").isEqualTo(1_000);
  }

  @Test
  void aMovedOneIsAsOldAsItsOriginal() {
    ConsumerRecord<byte[], byte[]> moved = record(home, 1, 500, "bob", NAMED);
    moved.headers().add(DeliveryHeaders.FORWARDED_TIME, new byte[] {'7'});

    assertThat(sent(moved).firstMs()).isEqualTo(7);
  }

  @Test
  void aCopyOfWhatWasReadIsLeftOutHoweverOftenTheRangeIsRead() {
    ConsumerRecord<byte[], byte[]> original = record(home, 1, 500, "bob", NAMED);
    ConsumerRecord<byte[], byte[]> copy = record(home, 4, 900, "bob", NAMED);
    copy.headers().add(DeliveryHeaders.FORWARDED_TIME, new byte[] {'5', '0', '0'});
    ConsumerRecord<byte[], byte[]> moved = record(home, 5, 900, "bob", UNNAMED);
    moved.headers().add(DeliveryHeaders.FORWARDED_TIME, new byte[] {'9'});

    for (int pass = 0; pass < 2; pass++) {
      assertThat(sent(original).firstMs()).isEqualTo(500);
      assertThat(bob.choose(copy)).isEqualTo(new Choice.Other());
      assertThat(sent(moved).firstMs()).isEqualTo(9);
    }
  }

  @Test
  void oneWithoutAnIdIsNamedAsTheRulesAndTheForwarderNameIt() {
    assertThat(sent(record(home, 5, 0, "bob", UNNAMED)).event().clientMsgId())
        .isEqualTo("log:" + home + ":5");
    int other = (home + 1) % 8;
    assertThat(sent(record(other, 5, 0, "bob", UNNAMED)).event().clientMsgId())
        .isEqualTo("EventsId:" + other + ":5");
    assertThat(sent(record(home, 6, 0, "bob", NAMED)).event().clientMsgId()).isEqualTo("1");
  }

  @Test
  void othersAndOtherEventsAreLeftOut() {
    assertThat(bob.choose(record(home, 1, 0, "ann", NAMED))).isEqualTo(new Choice.Other());
    assertThat(bob.choose(record(home, 1, 0, "bob", "{\"type\":\"leave\"}")))
        .isEqualTo(new Choice.Other());
    assertThat(bob.choose(record(home, 1, 0, "bob", "nonsense")))
        .isEqualTo(new Choice.Not("bad_event"));
  }
}
