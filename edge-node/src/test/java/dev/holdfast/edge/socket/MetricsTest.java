package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.metrics.EdgeMetrics;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the page of {@code /metrics} tells of traffic that happened. */
@Timeout(30)
class MetricsTest {
  private final TestServer server = new TestServer(Limits.DEFAULT);

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void countsConnectionsFramesAndBytes() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      double in = value("holdfast_edge_bytes_in_total");
      double frames = value("holdfast_edge_frames_in_total");
      client.text("ping");
      assertThat(client.next()).isEqualTo("pong");
      assertThat(value("holdfast_edge_bytes_in_total")).isEqualTo(in + 4);
      assertThat(value("holdfast_edge_frames_in_total")).isEqualTo(frames + 1);
      assertThat(value("holdfast_edge_connections")).isEqualTo(1);
      assertThat(value("holdfast_edge_connections_awaiting")).isZero();
      assertThat(value("holdfast_edge_connects_total")).isEqualTo(1);
      assertThat(value("holdfast_edge_handshakes_total", "outcome=\"accepted\"")).isEqualTo(1);
      assertThat(value("holdfast_edge_welcomes_total", "outcome=\"resumed\"")).isEqualTo(1);
      assertThat(value("holdfast_edge_clients_doubled")).isZero();
      client.text("{\"type\":\"nonsense\"}");
      client.next();
      assertThat(value("holdfast_edge_frames_refused_total", "code=\"unknown_type\"")).isEqualTo(1);
    }
  }

  @Test
  void tellsClientsWithSeveralConnections() throws Exception {
    try (RawClient one = RawClient.hello(server.port(), "c");
        RawClient two = RawClient.hello(server.port(), "c");
        RawClient three = RawClient.hello(server.port(), "d")) {
      assertThat(value("holdfast_edge_clients_doubled")).isEqualTo(1);
      assertThat(one.status() + two.status() + three.status()).isEqualTo(303);
    }
  }

  @Test
  void countsRefusalsAndAnswersByTheirCode() throws Exception {
    RawClient.ask(server.port(), "Sec-WebSocket-Protocol: holdfast.v9").close();
    server.draining = true;
    RawClient.ask(server.port()).close();
    server.draining = false;
    get("/nothing/at/all");
    get("/healthz");
    String handshakes = "holdfast_edge_handshakes_total";
    assertThat(value(handshakes, "outcome=\"unknown_subprotocol\"")).isEqualTo(1);
    assertThat(value(handshakes, "outcome=\"overloaded\"")).isEqualTo(1);
    String answers = "holdfast_edge_http_answers_total";
    assertThat(value(answers, "path=\"unknown\",status=\"404\"")).isEqualTo(1);
    assertThat(value(answers, "path=\"/healthz\",status=\"200\"")).isEqualTo(1);
  }

  @Test
  void countsClosesByCode() throws Exception {
    try (RawClient client = RawClient.hello(server.port(), "c")) {
      client.text("no json");
      client.next();
      assertThat(value("holdfast_edge_closes_total", "code=\"4400\"", "reason=\"protocol_error\""))
          .isEqualTo(1);
    }
  }

  @Test
  void latenciesAreHistograms() {
    server.counters.toKafka.recordNanos(3_000_000);
    server.counters.toKafka.recordMs(-5);
    String name = "holdfast_edge_to_kafka_seconds";
    assertThat(value(name + "_bucket", "le=\"0.001\"")).isEqualTo(1);
    assertThat(value(name + "_bucket", "le=\"0.005\"")).isEqualTo(2);
    assertThat(value(name + "_bucket", "le=\"+Inf\"")).isEqualTo(2);
    assertThat(value(name + "_count")).isEqualTo(2);
    assertThat(value(name + "_sum")).isEqualTo(0.003);
  }

  @Test
  void thePageIsServed() throws Exception {
    assertThat(get("/metrics"))
        .contains("holdfast_edge_ready{edge=\"edge-1\"} 1.0", "jvm_memory_used_bytes{");
  }

  /** The one value of that metric with these labels, on a fresh page. */
  private double value(String name, String... labels) {
    EdgeMetrics fresh = new EdgeMetrics("edge-1", server.counters, server.sessions);
    String page = new String(fresh.page(), StandardCharsets.UTF_8);
    fresh.close();
    return page.lines()
        .filter(line -> line.startsWith(name + "{") && containsAll(line, labels))
        .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .reduce((a, b) -> Double.NaN)
        .orElseThrow(() -> new AssertionError(name + String.join(" ", labels) + " in " + page));
  }

  private static boolean containsAll(String line, String... parts) {
    for (String part : parts) {
      if (!line.contains(part)) {
        return false;
      }
    }
    return true;
  }

  private String get(String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
        .body();
  }
}
