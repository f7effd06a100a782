package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.PhoneClient;
import dev.holdfast.testkit.process.PhoneLog;
import dev.holdfast.testkit.process.Phones;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Records of producers that hash keys differently move to where they belong (D1). */
final class ForwardIT {
  private static final int RECORDS = 600;
  private static final int USERS = 20;
  private static final int PARTITIONS = 8;

  @Test
  @DisplayName("D1: misplaced records move once and arrive once, while streams are killed")
  void misplacedRecordsArriveOnce() throws InterruptedException {
    try (Cluster cluster = Cluster.start(ClusterSpec.named("forward"));
        Phones phones = new Phones(3);
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      List<PhoneClient> all = new ArrayList<>();
      for (int u = 0; u < USERS; u++) {
        all.add(phones.phone("user" + u, "phone" + u, cluster.edgeUris()).start());
      }
      Random random = new Random(3);
      for (int n = 0; n < RECORDS; n++) {
        byte[] value =
            ("{\"type\":\"message\",\"from\":\"backend\",\"payload\":" + n + "}")
                .getBytes(StandardCharsets.UTF_8);
        // Any partition: mostly a wrong one. No clientMsgId: its place in the log names it.
        kafka.write(Topics.EVENTS, random.nextInt(PARTITIONS), "user" + n % USERS, value);
        if (n == RECORDS / 3) {
          cluster.streams(0).kill9();
          cluster.streams(0).launch();
        } else if (n == 2 * RECORDS / 3) {
          cluster.streams(1).kill9();
          cluster.streams(1).launch();
        }
      }
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> all.stream().mapToInt(p -> p.log().handedCount()).sum() >= RECORDS);
      // A sign that everything before it in each mailbox has been dealt with.
      for (PhoneClient phone : all) {
        String last = phone.send(phone.user(), "-1");
        Awaitility.await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> phone.log().handed().stream().anyMatch(h -> h.payload().equals("-1")));
        assertThat(last).isNotEmpty();
      }
      for (PhoneClient phone : all) {
        List<String> payloads =
            phone.log().handed().stream().map(PhoneLog.Handed::payload).toList();
        assertThat(payloads).hasSize(RECORDS / USERS + 1).doesNotHaveDuplicates();
        assertThat(phone.log().violations()).isEmpty();
      }
      assertThat(kafka.seqsGivenTwice()).isEmpty();
    }
  }

  @Test
  @DisplayName("D1: a record that was moved and is wrong again goes to dead letters")
  void oneHopOnly() throws InterruptedException {
    try (Cluster cluster = Cluster.start(ClusterSpec.named("hop").withReplicas("a").withEdges(1));
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      byte[] value =
          "{\"type\":\"message\",\"from\":\"backend\",\"payload\":1}"
              .getBytes(StandardCharsets.UTF_8);
      for (int p = 0; p < PARTITIONS; p++) {
        kafka.writeForwarded(Topics.EVENTS, p, "somebody", value);
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> kafka.committed(Topics.DEAD_LETTERS).size() == PARTITIONS - 1);
      for (ConsumerRecord<byte[], byte[]> letter : kafka.committed(Topics.DEAD_LETTERS)) {
        assertThat(KafkaLog.header(letter, "reason")).isEqualTo("wrong_partition");
      }
      long moved = 0;
      for (ConsumerRecord<byte[], byte[]> event : kafka.committed(Topics.EVENTS)) {
        moved += event.value().length == value.length ? 1 : 0;
      }
      assertThat(moved).as("no record was copied again").isEqualTo(PARTITIONS);
    }
  }
}
