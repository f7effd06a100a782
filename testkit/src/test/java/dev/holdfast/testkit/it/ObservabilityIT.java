package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.testkit.docs.MetricsDoc;
import dev.holdfast.testkit.docs.MetricsPage;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What operators see of an edge and a streams instance that log everything, while a client and a
 * backend say things that no log may repeat.
 */
final class ObservabilityIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** In every token, payload and secret that the test makes. */
  private static final String SECRET = "Zq7SECRETx";

  private static final List<String> LOUD =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Xmx512m",
          "-DHOLDFAST_LOG_LEVEL=TRACE",
          "-DHOLDFAST_LIBRARY_LOG_LEVEL=TRACE");

  private static Cluster broker;
  private static HoldfastProcess streams;
  private static HoldfastProcess edge;
  private static String streamsHttp;
  private static String edgeHttp;
  private static String sessionToken = "";

  @BeforeAll
  static void start() throws Exception {
    broker =
        Cluster.start(
            ClusterSpec.named("loud")
                .withReplicas()
                .withEdges(0)
                .withSizes(new TopicSizes(2, 2, 1)));
    int streamsPort = TestPorts.free();
    int edgePort = TestPorts.free();
    streamsHttp = "http://127.0.0.1:" + streamsPort;
    edgeHttp = "http://127.0.0.1:" + edgePort;
    streams =
        launch(
            "streams", "--port", "" + streamsPort, "--data", broker.dir().resolve("s").toString());
    edge = launch("edge", "--port", "" + edgePort, "--edge-id", "edge-1");
    streams.awaitReady(Duration.ofMinutes(2));
    edge.awaitReady(Duration.ofMinutes(2));
    traffic();
  }

  private static HoldfastProcess launch(String command, String... more) throws IOException {
    List<String> args = new ArrayList<>(List.of(command, "--log-format", "json"));
    args.addAll(List.of("--bootstrap", broker.bootstrap()));
    args.add("--kafka.ssl.key.password=" + SECRET);
    args.add("--kafka.sasl.jaas.config=any.Module required password=\"" + SECRET + "\";");
    args.addAll(List.of(more));
    // A log is continued by a later start under the same name.
    Files.deleteIfExists(Path.of("target", "process-logs", "loud-" + command + ".log"));
    return HoldfastProcess.start("loud-" + command, LOUD, args);
  }

  @AfterAll
  static void stop() {
    for (AutoCloseable any : new AutoCloseable[] {edge, streams, broker}) {
      try {
        if (any != null) {
          any.close();
        }
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void traffic() throws Exception {
    URI ws = URI.create(edgeHttp.replace("http", "ws") + "/v1/ws");
    Map<String, String> bearer = Map.of("Authorization", "Bearer " + SECRET);
    try (EdgeClient ann = EdgeClient.connect(ws, bearer, "holdfast.v1");
        KafkaLog kafka = new KafkaLog(broker.bootstrap())) {
      ann.hello(Map.of("clientId", "ann", "lastSeq", 0, "token", SECRET, "sessionToken", SECRET));
      sessionToken = ann.await("welcome", SOON).path("sessionToken").asText();
      ann.sendTo("ann", "m-1", SECRET);
      ann.sendTo("ann", "m-1", SECRET + "-changed");
      ann.await("sent", SOON);
      assertThat(publish(SECRET, "{\"to\":{\"user\":\"ann\"},\"payload\":\"" + SECRET + "\"}"))
          .isEqualTo(202);
      String one = "{\"to\":{\"user\":\"ann\"},\"payload\":{\"" + SECRET + "\":1}}";
      assertThat(publish(SECRET, "{\"messages\":[" + one + "," + one + "]}")).isEqualTo(202);
      for (JsonNode message : ann.messages(4, SOON)) {
        ann.ack(message.path("seq").asLong());
      }
      wrong(ann, kafka, ws);
    }
    Awaitility.await()
        .atMost(SOON)
        .until(() -> page(streamsHttp).sum("holdfast_streams_dead_letters_total") >= 2);
  }

  private static void wrong(EdgeClient ann, KafkaLog kafka, URI ws) throws Exception {
    ann.sendText("{\"type\":\"" + SECRET + "\",\"" + SECRET + "\":1}");
    ann.await("error", SOON);
    ann.sendText(SECRET);
    ann.awaitClosed(SOON);
    assertThat(publish(SECRET, SECRET)).isEqualTo(400);
    assertThat(EdgeClient.tryConnect(ws, Map.of(), SECRET)).failsWithin(SOON);
    byte[] event = ("{\"type\":\"message\",\"payload\":" + SECRET).getBytes(StandardCharsets.UTF_8);
    kafka.write(Topics.EVENTS, null, "ann", event);
  }

  private static int publish(String token, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(edgeHttp + "/v1/messages"))
            .header("Authorization", "Bearer " + token)
            .POST(BodyPublishers.ofString(body))
            .build();
    return HTTP.send(request, BodyHandlers.ofString()).statusCode();
  }

  private static MetricsPage page(String base) throws Exception {
    HttpResponse<String> page =
        HTTP.send(
            HttpRequest.newBuilder(URI.create(base + "/metrics")).build(), BodyHandlers.ofString());
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
    return MetricsPage.of(page.body());
  }

  @Test
  @DisplayName("R-8.3: a running edge's page is what docs/metrics.md says, and counted the traffic")
  void edgePage() throws Exception {
    MetricsPage page = page(edgeHttp);
    assertThat(page.described()).isEqualTo(MetricsDoc.read("## Edge", "## JVM"));
    assertThat(page.sum("holdfast_edge_handshakes_total", "outcome", "accepted")).isEqualTo(1);
    assertThat(page.sum("holdfast_edge_handshakes_total", "outcome", "unknown_subprotocol"))
        .isEqualTo(1);
    assertThat(page.sum("holdfast_edge_closes_total", "code", "4400")).isEqualTo(1);
    assertThat(page.sum("holdfast_edge_to_kafka_seconds_count")).isGreaterThan(4);
    assertThat(page.sum("holdfast_edge_to_socket_seconds_count")).isGreaterThan(2);
    assertThat(page.sum("holdfast_edge_to_socket_seconds_sum")).isPositive();
    assertThat(page.sum("holdfast_edge_ready")).isEqualTo(1);
    assertThat(page.size()).as("bounded").isLessThan(300);
  }

  @Test
  @DisplayName("a running streams instance's page is what docs/metrics.md says")
  void streamsPage() throws Exception {
    MetricsPage page = page(streamsHttp);
    assertThat(page.described()).isEqualTo(MetricsDoc.read("## Streams", "## JVM"));
    assertThat(page.sum("holdfast_streams_events_total")).isGreaterThan(5);
    assertThat(page.sum("holdfast_streams_deliveries_total")).isGreaterThan(4);
    assertThat(page.sum("holdfast_streams_dead_letters_total", "reason", "bad_event")).isEqualTo(1);
    assertThat(page.sum("holdfast_streams_dead_letters_total", "reason", "id_conflict"))
        .isEqualTo(1);
    assertThat(page.sum("holdfast_streams_state", "state", "RUNNING")).isEqualTo(1);
    assertThat(page.sum("holdfast_streams_tasks", "type", "active")).isEqualTo(2);
    assertThat(page.sum("holdfast_streams_ready")).isEqualTo(1);
    assertThat(page.sum("holdfast_streams_pair", "state", "none")).isEqualTo(1);
  }

  @Test
  @DisplayName("no token, payload or secret is in any log, at whatever level")
  void noSecrets() throws Exception {
    List<String> logs = new ArrayList<>(lines(edge));
    logs.addAll(lines(streams));
    assertThat(logs).as("both log everything").hasSizeGreaterThan(500);
    assertThat(logs).anyMatch(line -> line.contains("\"level\":\"TRACE\""));
    assertThat(logs).anyMatch(line -> line.contains("\"logger\":\"io.undertow"));
    assertThat(logs).noneMatch(line -> line.contains(SECRET));
    assertThat(sessionToken).hasSizeGreaterThan(8);
    assertThat(logs).noneMatch(line -> line.contains(sessionToken));
  }

  @Test
  @DisplayName("R-8.4: JSON lines; the end of a connection is one with its fields")
  void jsonLines() throws Exception {
    List<JsonNode> events = new ArrayList<>();
    for (String line : lines(edge)) {
      if (line.startsWith("{")) {
        events.add(JSON.readTree(line));
      }
    }
    assertThat(events).allMatch(e -> e.has("time") && e.has("level") && e.has("message"));
    JsonNode end =
        events.stream()
            .filter(e -> e.path("message").asText().equals("connection ended"))
            .findFirst()
            .orElseThrow();
    assertThat(end.path("connId").asText()).isNotEmpty();
    assertThat(end.path("user").asText()).isEqualTo("ann");
    assertThat(end.path("clientId").asText()).isEqualTo("ann");
    assertThat(end.path("state").asText()).isEqualTo("LIVE");
    assertThat(end.path("code").asInt()).isEqualTo(4400);
    assertThat(end.path("reason").asText()).isEqualTo("protocol_error");
    assertThat(end.path("durationMs").isIntegralNumber()).isTrue();
    Awaitility.await()
        .atMost(SOON)
        .until(
            () ->
                lines(edge).stream()
                    .anyMatch(
                        line ->
                            line.contains("handshakes were refused")
                                && line.contains("\"unknown_subprotocol\":1")));
  }

  private static List<String> lines(HoldfastProcess process) throws IOException {
    // The first line of the file is the harness's: it repeats the command line.
    return Files.readAllLines(process.log()).stream().filter(l -> !l.startsWith("--- ")).toList();
  }
}
