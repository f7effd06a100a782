package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A record that was damaged on the broker's disk. */
final class DamagedRecordIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String MARK = "to-be-damaged";

  @Test
  @DisplayName(
      "D13: its partition is unavailable, others go on, the edge lives, the log says where")
  void damaged() throws Exception {
    try (Cluster cluster =
        Cluster.start(
            ClusterSpec.named("damaged")
                .withReplicas("a")
                .withEdges(1)
                .withEdgeOptions("--namespace", "rooms:publish=clients"))) {
      RecordMetadata record;
      String sound;
      try (ChannelTopic rooms = ChannelTopic.create(cluster.bootstrap(), "rooms", 2, Map.of())) {
        rooms.send("broken", "\"before\"");
        record = rooms.send("broken", '"' + MARK + '"');
        sound = soundKey(rooms, record.partition());
      }
      assertThat(cluster.broker().terminate()).isZero();
      damage(Segment.of(cluster, "rooms", record.partition()).file());
      cluster.broker().start();

      try (EdgeClient bob = client(cluster, "bob");
          ChannelTopic rooms = ChannelTopic.of(cluster.bootstrap(), "rooms")) {
        ChannelIT.subscribe(bob, "rooms:" + sound, null);
        bob.sendText("{\"type\":\"subscribe\",\"channel\":\"rooms:broken\"}");
        JsonNode error = bob.await("error", SOON);
        assertThat(error.path("code").asText()).isEqualTo("unavailable");
        assertThat(error.path("channel").asText()).isEqualTo("rooms:broken");
        assertThat(error.path("message").asText()).contains("damaged");

        rooms.send(sound, "\"goes on\"");
        assertThat(bob.await("event", SOON).path("payload").asText()).isEqualTo("goes on");
        String where =
            "rooms-" + record.partition() + " cannot be read at offset " + record.offset();
        Awaitility.await()
            .atMost(SOON)
            .untilAsserted(
                () ->
                    assertThat(cluster.edge(0).process().tail())
                        .contains(where)
                        .contains("kafka-delete-records"));
        assertThat(cluster.edge(0).isAlive()).isTrue();
      }
    }
  }

  private static EdgeClient client(Cluster cluster, String user) throws InterruptedException {
    return EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", user, "user", user));
  }

  /** A key of the other partition. */
  private static String soundKey(ChannelTopic rooms, int not) throws Exception {
    for (int i = 0; i < 100; i++) {
      if (rooms.send("sound-" + i, "0").partition() != not) {
        return "sound-" + i;
      }
    }
    throw new AssertionError("all keys lie in one partition");
  }

  /** Turns a byte of the marked record around, so that its batch's checksum is wrong. */
  private static void damage(Path segment) throws IOException {
    String bytes = new String(Files.readAllBytes(segment), StandardCharsets.ISO_8859_1);
    int at = bytes.indexOf(MARK);
    assertThat(at).as("the record in %s", segment).isPositive();
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(at);
      file.write(MARK.charAt(0) ^ 1);
    }
  }
}
