package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.record.Rules;
import dev.holdfast.record.RulesCodec;
import dev.holdfast.testkit.docs.Transcript;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Real edges play docs/transcripts; each further connection goes to the other edge. */
final class TranscriptIT {
  private static final String SECRET = "a-secret-that-is-long-enough-for-HS256";
  private static final int AT_LEAST = 16;

  /** A new transcript is one of these, with the reason, or names the server as a player. */
  private static final Map<String, String> NOT_FOR_SERVERS =
      Map.of(
          "gives-up", "no server is reached",
          "late-callbacks", "what a socket tells late or twice is the library's to ignore",
          "newest-again", "the same is published twice, by the topic's own writers: ChannelIT",
          "other-client",
              "what is in the store was written by nobody: the client's cursor is ahead",
          "refused-for-now", "an edge refuses so only what comes too fast: RateGateTest",
          "refused-send", "an edge refuses so only while Kafka is away: SendGateTest, OutageIT",
          "uncertain", "a day would have to pass");

  @TempDir static Path dir;
  private static RoomCluster rooms;
  private static HoldfastProcess authEdge;
  private static URI authUri;

  @BeforeAll
  static void start() throws Exception {
    rooms =
        RoomCluster.start(
            "transcripts", spec -> spec.withRules(TranscriptIT::quickLeave), "--drain-seconds=1");
    int port = TestPorts.free();
    authUri = URI.create("ws://127.0.0.1:" + port + "/v1/ws");
    Path secret = Files.writeString(dir.resolve("secret"), SECRET + "\n");
    authEdge =
        HoldfastProcess.start(
            "transcripts-auth",
            List.of(
                "edge",
                "--bootstrap",
                rooms.cluster().bootstrap(),
                "--port=" + port,
                "--edge-id=edge-auth",
                "--auth=jwt",
                "--jwt-leeway-seconds=0",
                "--jwt-secret-file=" + secret));
    authEdge.awaitReady(Duration.ofMinutes(1));
  }

  private static Rules quickLeave(Rules rules) {
    Map<String, Long> map = new HashMap<>(RulesCodec.toMap(rules));
    map.put("leaveDelayMs", 500L);
    return RulesCodec.fromMap(map);
  }

  @AfterAll
  static void stop() {
    authEdge.close();
    rooms.close();
  }

  @Test
  @DisplayName("each transcript is played by real edges, or it is said why not")
  void allOrWhyNot() throws IOException {
    Set<String> others = new TreeSet<>();
    for (Transcript transcript : Transcript.all()) {
      if (!transcript.isForServers()) {
        others.add(transcript.name());
      }
    }
    assertThat(others).isEqualTo(new TreeSet<>(NOT_FOR_SERVERS.keySet()));
  }

  @TestFactory
  List<DynamicTest> transcripts() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Transcript transcript : Transcript.all()) {
      if (transcript.isForServers()) {
        String name = transcript.name() + ": " + transcript.head().path("about").asText();
        String suffix = "-" + tests.size();
        TranscriptPlay play =
            new TranscriptPlay(rooms.cluster(), authUri, new Tokens(SECRET), transcript, suffix);
        tests.add(DynamicTest.dynamicTest(name, play::all));
      }
    }
    assertThat(tests).hasSizeGreaterThanOrEqualTo(AT_LEAST);
    return tests;
  }
}
