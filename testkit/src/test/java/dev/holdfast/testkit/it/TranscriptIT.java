package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Real edges play docs/transcripts; each further connection goes to the other edge. */
final class TranscriptIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int BATCH = 100;
  private static final int AT_LEAST = 7;

  private static Cluster cluster;
  private static ChannelTopic rooms;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        Cluster.start(
            ClusterSpec.named("transcripts")
                .withReplicas("a")
                .withEdgeOptions("--namespace", "rooms:publish=clients"));
    rooms = ChannelTopic.create(cluster.bootstrap(), "rooms", 2, Map.of());
  }

  @AfterAll
  static void stop() {
    rooms.close();
    cluster.close();
  }

  @TestFactory
  List<DynamicTest> transcripts() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    List<Path> files;
    try (Stream<Path> all = Files.list(Path.of("..", "docs", "transcripts"))) {
      files = all.filter(file -> file.toString().endsWith(".jsonl")).sorted().toList();
    }
    for (Path file : files) {
      List<JsonNode> lines = new ArrayList<>();
      for (String line : Files.readAllLines(file)) {
        lines.add(JSON.readTree(line));
      }
      JsonNode head = lines.get(0);
      if (head.path("players").toString().contains("\"server\"")) {
        String name = head.path("transcript").asText() + ": " + head.path("about").asText();
        List<JsonNode> rest = lines.subList(1, lines.size());
        String suffix = "-" + tests.size();
        tests.add(DynamicTest.dynamicTest(name, () -> new Play(head, suffix).all(rest)));
      }
    }
    assertThat(tests).hasSizeGreaterThanOrEqualTo(AT_LEAST);
    return tests;
  }

  /** One of them. */
  private static final class Play {
    private final Expected expected;
    private final Map<Integer, EdgeClient> clients = new HashMap<>();

    Play(JsonNode head, String suffix) {
      List<String> users = new ArrayList<>();
      head.path("users").forEach(user -> users.add(user.asText()));
      expected = new Expected(users, suffix);
    }

    void all(List<JsonNode> lines) throws Exception {
      try {
        for (JsonNode line : lines) {
          if (line.path("only").asText("server").equals("server")) {
            line(line);
          }
        }
      } finally {
        clients.values().forEach(EdgeClient::close);
      }
    }

    private void line(JsonNode line) throws Exception {
      if (line.has("c")) {
        connection(line.path("c").asInt(), line);
      } else if (line.has("get")) {
        HttpResponse<String> answer =
            Web.get(cluster.edgeHttp(1) + expected.url(line.path("get").asText()));
        JsonNode wanted = line.path("answer");
        assertThat(answer.statusCode()).isEqualTo(wanted.path("status").asInt());
        expected.match(line.toString(), wanted.path("body"), JSON.readTree(answer.body()));
      } else if (line.path("server").asText().equals("kick")) {
        kick(expected.user(line.path("user").asText()));
      } else if (line.has("server")) {
        send(line);
      }
    }

    private void connection(int c, JsonNode line) throws Exception {
      if (line.has("open")) {
        clients.put(c, EdgeClient.connect(cluster.edgeUri((c + 1) % 2)));
        return;
      }
      EdgeClient client = clients.get(c);
      if (client == null) {
        throw new AssertionError("connection " + c + " was never opened");
      }
      JsonNode frame = expected.fill(line.path("send"));
      if (line.has("send")) {
        client.sendText(frame.isTextual() ? frame.asText() : frame.toString());
      } else if (line.has("recv")) {
        JsonNode wanted = line.path("recv");
        String type = wanted.isTextual() ? wanted.asText() : wanted.path("type").asText();
        JsonNode came = client.await(type, SOON);
        if (wanted.isObject()) {
          expected.match(line.toString(), wanted, came);
        }
      } else if (line.has("cut")) {
        client.abort();
      } else if (line.has("close")) {
        close(client, line);
      }
    }

    private static void close(EdgeClient client, JsonNode line) throws InterruptedException {
      int code = line.path("close").asInt();
      String reason = line.path("reason").asText();
      if (line.path("by").asText().equals("client")) {
        client.close(code, reason);
      } else {
        assertThat(client.awaitClosed(SOON)).isEqualTo(new EdgeClient.Closed(code, reason));
      }
    }

    private void send(JsonNode line) throws Exception {
      ObjectNode message = (ObjectNode) expected.fill(line);
      int times = line.path("times").asInt(1);
      message.remove(List.of("server", "times"));
      for (int left = times; left > 0; left -= BATCH) {
        ObjectNode body = message;
        if (times > 1) {
          body = JSON.createObjectNode();
          for (int i = 0; i < Math.min(left, BATCH); i++) {
            body.withArray("messages").add(message);
          }
          body.set("from", message.path("from"));
        }
        HttpResponse<String> answer =
            Web.post(cluster.edgeHttp(0) + "/v1/messages", body.toString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        assertThat(answer.body()).doesNotContain("error");
      }
    }

    private static void kick(String user) throws InterruptedException {
      List<String> command = List.of("kick", user, "--bootstrap", cluster.bootstrap());
      try (HoldfastProcess process = HoldfastProcess.start("transcript-kick", command)) {
        assertThat(process.awaitExit(Duration.ofSeconds(30))).isZero();
      }
    }
  }
}
