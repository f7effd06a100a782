package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.testkit.docs.Transcript;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Plays one transcript as its client, against real edges; docs/clients.md says what lines mean. */
final class TranscriptPlay {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int BATCH = 100;

  /**
   * Seconds that the tokens of a transcript hold from when they are sent; of the first one the edge
   * must have time to warn, which it looks after once a second.
   */
  private static final Map<String, Integer> TOKENS = Map.of("t1", 8, "t2", 3, "t3", -60);

  private final Cluster cluster;
  private final URI authEdge;
  private final Tokens tokens;
  private final Transcript transcript;
  private final Expected expected;
  private final Map<Integer, EdgeClient> clients = new HashMap<>();
  private final Set<Integer> silent = new HashSet<>();
  private final Set<Integer> stopped = new HashSet<>();

  /**
   * @param authEdge plays what has tokens in it, which {@code tokens} issues
   * @param suffix makes the transcript's users this play's own
   */
  TranscriptPlay(
      Cluster cluster, URI authEdge, Tokens tokens, Transcript transcript, String suffix) {
    this.cluster = cluster;
    this.authEdge = authEdge;
    this.tokens = tokens;
    this.transcript = transcript;
    List<String> users = new ArrayList<>();
    transcript.head().path("users").forEach(user -> users.add(user.asText()));
    this.expected = new Expected(users, suffix, this::token);
  }

  private String token(String name) {
    String user = expected.user(transcript.head().path("options").path("user").asText());
    return tokens.issue(user, TOKENS.getOrDefault(name, 60), "");
  }

  /** Ends with no connection left, and with all edges running. */
  void all() throws Exception {
    try {
      for (JsonNode line : transcript.lines()) {
        if (line.path("only").asText("server").equals("server")) {
          line(line);
        }
      }
    } finally {
      clients.values().forEach(EdgeClient::close);
      for (int edge : stopped) {
        cluster.edge(edge).start();
      }
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
    } else if (line.path("server").asText().equals("stop")) {
      int edge = edgeOf(line.path("of").asInt());
      stopped.add(edge);
      assertThat(cluster.edge(edge).terminate()).isZero();
    } else if (line.has("server")) {
      send(line);
    }
  }

  /** Each further connection goes to the other edge. */
  private static int edgeOf(int c) {
    return (c + 1) % 2;
  }

  private void connection(int c, JsonNode line) throws Exception {
    if (line.has("open")) {
      boolean hasTokens = transcript.head().path("options").has("token");
      clients.put(c, EdgeClient.connect(hasTokens ? authEdge : cluster.edgeUri(edgeOf(c))));
      return;
    }
    EdgeClient client = clients.get(c);
    if (client == null) {
      throw new AssertionError("connection " + c + " was never opened");
    }
    if (line.has("send") && !silent.contains(c)) {
      JsonNode frame = expected.fill(line.path("send"));
      client.sendText(frame.isTextual() ? frame.asText() : frame.toString());
    } else if (line.has("recv")) {
      receive(client, line);
    } else if (line.has("silent")) {
      silent.add(c); // what the client sends from now on is lost on the way
    } else if (line.has("cut")) {
      client.abort();
    } else if (line.has("close")) {
      close(client, line);
    }
  }

  private void receive(EdgeClient client, JsonNode line) throws InterruptedException {
    JsonNode wanted = line.path("recv");
    String type = wanted.isTextual() ? wanted.asText() : wanted.path("type").asText();
    JsonNode came =
        client.await(
            frame -> frame.path("type").asText().equals(type) && isMeant(wanted, frame),
            line.toString(),
            SOON);
    if (wanted.isObject()) {
      expected.match(line.toString(), wanted, came);
    }
  }

  /**
   * Presences come in any order, and an edge may know a state only a moment later; of a token that
   * lives for seconds an edge warns at once.
   */
  private boolean isMeant(JsonNode wanted, JsonNode frame) {
    if (wanted.path("type").asText().equals("error")) {
      return frame.path("code").equals(wanted.path("code"));
    }
    return !wanted.path("type").asText().equals("presence")
        || (frame.path("user").asText().equals(expected.user(wanted.path("user").asText()))
            && frame.path("status").equals(wanted.path("status")));
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
      HttpResponse<String> answer = Web.post(cluster.edgeHttp(0) + "/v1/messages", body.toString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
      assertThat(answer.body()).doesNotContain("error");
    }
  }

  private void kick(String user) throws InterruptedException {
    List<String> command = List.of("kick", user, "--bootstrap", cluster.bootstrap());
    try (HoldfastProcess process = HoldfastProcess.start("transcript-kick", command)) {
      assertThat(process.awaitExit(Duration.ofSeconds(30))).isZero();
    }
  }
}
