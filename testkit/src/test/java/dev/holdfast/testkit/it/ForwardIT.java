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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Records of producers that hash keys differently move to where they belong (D1). */
@Tag("campaign")
final class ForwardIT {
  private static final int RECORDS = 600;
  private static final int USERS = 20;
  private static final int PARTITIONS = 8;

  @Test
  @DisplayName("D1: kill -9 between forward and commit: misplaced records still arrive once")
  void misplacedRecordsArriveOnce() throws InterruptedException {
    // Commits are rare, so what was moved just before a kill is moved again after it.
    try (Cluster cluster =
            Cluster.start(
                ClusterSpec.named("forward")
                    .withStreamsOptions("--kafka.commit.interval.ms=2000"));
        Phones phones = new Phones(3);
        KafkaLog kafka = new KafkaLog(cluster.bootstrap());
        Copies copies = new Copies(cluster.bootstrap())) {
      List<PhoneClient> all = new ArrayList<>();
      for (int u = 0; u < USERS; u++) {
        all.add(phones.phone("user" + u, "phone" + u, cluster.edgeUris()).start());
      }
      assertThat(writeAndKill(cluster, kafka, copies)).isEqualTo(2);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> all.stream().mapToInt(p -> p.log().handedCount()).sum() >= RECORDS);
      for (PhoneClient phone : all) {
        settle(phone);
        List<String> payloads =
            phone.log().handed().stream().map(PhoneLog.Handed::payload).toList();
        assertThat(payloads).hasSize(RECORDS / USERS + 1).doesNotHaveDuplicates();
        assertThat(phone.log().violations()).isEmpty();
      }
      assertThat(kafka.seqsGivenTwice()).isEmpty();
      assertThat(copies.madeTwice()).as("a kill fell between forward and commit").isPositive();
    }
  }

  /** Returns how many instances were killed, each right after a record was moved. */
  private static int writeAndKill(Cluster cluster, KafkaLog kafka, Copies copies)
      throws InterruptedException {
    Random random = new Random(3);
    boolean due = false;
    int killed = 0;
    for (int n = 0; n < RECORDS; n++) {
      // Any partition: mostly a wrong one. No clientMsgId: its place in the log names it.
      kafka.write(Topics.EVENTS, random.nextInt(PARTITIONS), "user" + n % USERS, message(n));
      if (n == RECORDS / 3 || n == 2 * RECORDS / 3) {
        copies.mark();
        due = true;
      }
      if (due && copies.anySinceMark()) {
        due = false;
        cluster.streams(killed).kill9();
        cluster.streams(killed++).launch();
      }
    }
    return killed;
  }

  private static byte[] message(int n) {
    return ("{\"type\":\"message\",\"from\":\"backend\",\"payload\":" + n + "}")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** A message to oneself: a sign that everything before it in the mailbox has been dealt with. */
  private static void settle(PhoneClient phone) {
    assertThat(phone.send(phone.user(), "-1")).isNotEmpty();
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> phone.log().handed().stream().anyMatch(h -> h.payload().equals("-1")));
  }

  @Test
  @DisplayName("D1: a record that was moved and is wrong again goes to dead letters")
  void oneHopOnly() throws InterruptedException {
    try (Cluster cluster = Cluster.start(ClusterSpec.named("hop").withReplicas("a").withEdges(1));
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      byte[] value = message(1);
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
