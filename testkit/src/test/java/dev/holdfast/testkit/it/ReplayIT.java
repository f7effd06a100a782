package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code holdfast replay}: what was missing arrives, nobody gets anything twice. */
@Tag("campaign")
final class ReplayIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String NEW = "--never-forwarded";
  private static final String[] JSON = {"--source=notes"};
  private static final String[] TEXT = {"--source=notes:format=text"};

  private static SourceCluster cluster;
  private static KafkaLog kafka;
  private static HoldfastProcess streams;

  @BeforeAll
  static void start() throws Exception {
    cluster = new SourceCluster("replay");
    cluster.makeTopic("notes", 2);
    cluster.makeTopic("old", 1);
    cluster.makeTopic("kept", 1);
    streams = cluster.streams(0, JSON).awaitReady(SourceCluster.READY);
    kafka = new KafkaLog(cluster.cluster().bootstrap());
  }

  @AfterAll
  static void stop() {
    kafka.close();
    cluster.close();
  }

  private static EdgeClient client(String user) throws InterruptedException {
    return EdgeClient.welcomed(
        cluster.cluster().edgeUri(0), Map.of("clientId", user, "lastSeq", 0));
  }

  private static String replay(int status, String... options) throws InterruptedException {
    List<String> words = new ArrayList<>(List.of("replay"));
    words.addAll(List.of(options));
    HoldfastProcess process = cluster.command(words.toArray(String[]::new));
    assertThat(process.awaitExit(SourceCluster.READY)).as(process.tail()).isEqualTo(status);
    return process.tail();
  }

  /** What the user gets until a message to oneself, which follows everything before it. */
  private static List<String> all(String user, String settle) throws InterruptedException {
    List<String> payloads = new ArrayList<>();
    try (EdgeClient client = client(user)) {
      client.sendTo(user, settle, settle);
      while (true) {
        JsonNode message = client.await("message", SOON);
        if (message.path("payload").asText().equals(settle)) {
          return payloads;
        }
        payloads.add(message.path("payload").toString());
      }
    }
  }

  private static int events() {
    int messages = 0;
    for (var event : kafka.committed(Topics.EVENTS)) {
      messages += new String(event.value(), StandardCharsets.UTF_8).contains("\"message\"") ? 1 : 0;
    }
    return messages;
  }

  @Test
  @DisplayName(
      "--source: records that a wrong format lost arrive, in order, those that came do not")
  void source() throws Exception {
    for (String value : List.of("17", "hello", "world")) {
      cluster.write("notes", "bob", value).get();
    }
    Awaitility.await().atMost(SOON).until(() -> kafka.committed(Topics.DEAD_LETTERS).size() >= 2);
    assertThat(all("bob", "settle-1")).containsExactly("17");
    assertThat(streams.terminate(Duration.ofSeconds(40))).isZero();
    streams = cluster.streams(0, TEXT).awaitReady(SourceCluster.READY);

    int before = events();
    String dry = replay(0, "--source", "notes:format=text", "--from", "-10m", "--dry-run");
    assertThat(dry)
        .contains("partition offset time user msgId bytes")
        .containsPattern("[01] 1 20[0-9TZ:.-]+ bob [A-Za-z0-9_-]{22} [0-9]+\n")
        .contains("would send 3 messages of source notes")
        .doesNotContain("hello");
    assertThat(events()).as("a dry run writes nothing").isEqualTo(before);

    String real = replay(0, "--source", "notes:format=text", "--from", "-10m");
    assertThat(real).contains("sent 3 messages of source notes");
    assertThat(replay(0, "--source", "notes:format=text", "--from", "-10m"))
        .contains("sent 3 messages");
    assertThat(all("bob", "settle-2"))
        .containsExactly("17", "\"settle-1\"", "\"hello\"", "\"world\"");
    assertThat(events()).isEqualTo(before + 3 + 3 + 1);

    assertThat(replay(1, "--source", "notes:from=another", "--from", "-10m"))
        .contains("the source notes runs as notes");
  }

  @Test
  @DisplayName("what cannot be replayed is refused in a sentence, with status 1 or 2")
  void refusals() throws Exception {
    for (int n = 0; n < 4; n++) {
      cluster.write("kept", "bob", String.valueOf(n)).get();
    }
    TopicPartition kept = new TopicPartition("kept", 0);
    cluster.admin().deleteRecords(Map.of(kept, RecordsToDelete.beforeOffset(2))).all().get();
    assertThat(replay(1, "--source", "kept", "--from", "2"))
        .contains("holdfast-source-kept has no position", "--never-forwarded");
    assertThat(replay(1, NEW, "--source", "notes", "--from", "-1h"))
        .contains("topic notes is a mailbox source: leave --never-forwarded out");
    assertThat(replay(1, NEW, "--source", "kept", "--from", "0"))
        .contains("no longer kept: kept-0 begins at offset 2, 20");
    assertThat(replay(1, NEW, "--source", "kept", "--from", "99")).contains("ends at offset 4");
    assertThat(replay(0, NEW, "--source", "kept", "--from", "2", "--to", "3", "--dry-run"))
        .contains("0 2 20")
        .contains("would send 1 message");
    assertThat(replay(1, NEW, "--source", "kept", "--from", "2", "--partition", "1"))
        .contains("has partitions 0 to 0 only");
    assertThat(replay(2, "--source", "notes", "--from", "0")).contains("give --partition");
    assertThat(replay(1, "--source", "absent", "--from", "-1h")).contains("absent does not exist");

    long days = System.currentTimeMillis() - Duration.ofDays(3).toMillis();
    cluster.write("old", "bob", "1".getBytes(StandardCharsets.UTF_8), days).get();
    cluster.write("old", "bob", "2").get();
    assertThat(replay(1, NEW, "--source", "old", "--from", "-4d"))
        .contains("1 of 2 messages are too");
    assertThat(replay(1, NEW, "--source", "old", "--from", "-4d", "--dry-run"))
        .contains(" too old\n")
        .contains("nothing was sent");
  }

  @Test
  @DisplayName("--user: nothing comes twice, also without a clientMsgId; what lay astray arrives")
  void user() throws Exception {
    RecordMetadata home = kafka.write(Topics.EVENTS, null, "cy", message("unnamed"));
    kafka.write(Topics.EVENTS, null, "dee", message("of another user"));
    int astray = (home.partition() + 1) % 4;
    kafka.write(Topics.EVENTS, astray, "cy", message("moved"));
    kafka.writeForwarded(Topics.EVENTS, astray, "cy", message("astray"));
    assertThat(all("cy", "settle-1")).containsExactlyInAnyOrder("\"unnamed\"", "\"moved\"");

    String dry = replay(0, "--user", "cy", "--from", "-1h", "--dry-run");
    assertThat(dry).contains("would send 3 messages of user cy").doesNotContain("unnamed", "dee");
    assertThat(replay(0, "--user", "cy", "--from", "-1h")).contains("sent 3 messages of user cy");
    assertThat(replay(0, "--user", "cy", "--from", "-1h")).contains("sent 3 messages of user cy");
    String on = String.valueOf(astray);
    assertThat(replay(0, "--user", "cy", "--partition", on, "--from", "0"))
        .contains("sent 2 messages of user cy");

    assertThat(all("cy", "settle-2"))
        .hasSize(4)
        .doesNotHaveDuplicates()
        .endsWith("\"settle-1\"", "\"astray\"");
  }

  private static byte[] message(String payload) {
    return ("{\"type\":\"message\",\"from\":\"backend\",\"payload\":\"" + payload + "\"}")
        .getBytes(StandardCharsets.UTF_8);
  }
}
