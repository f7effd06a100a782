package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.ProxyProcess;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** the proxy configurations of the documentation, run as they stand but for their ports. */
@Timeout(120)
@Tag("campaign")
class ProxyIT {
  private static final Path DOCS = Path.of("..", "docs", "proxies");
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final int HEARTBEAT_MS = 1_000;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static @Nullable Cluster cluster;

  @BeforeAll
  static void start() throws InterruptedException {
    assumeTrue(
        ProxyProcess.find("nginx").isPresent() || ProxyProcess.find("haproxy").isPresent(),
        "neither nginx nor haproxy is installed");
    cluster =
        Cluster.start(
            ClusterSpec.named("proxy")
                .withReplicas("a")
                .withEdges(1)
                .withEdgeOptions("--heartbeat-ms", String.valueOf(HEARTBEAT_MS)));
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nginx", "haproxy"})
  @DisplayName("R-6.8 hello, messages and heartbeats of both layers pass, and the connection stays")
  void carriesAConnection(String program) throws Exception {
    try (ProxyProcess proxy = proxy(program, edgePort());
        EdgeClient bob = welcomed(proxy, program + "-bob");
        EdgeClient silent = welcomed(proxy, program + "-silent")) {
      assertThat(publish(proxy, program + "-bob")).isEqualTo(202);
      assertThat(bob.await("message", SOON).path("payload").asText()).isEqualTo("hi");
      long end = System.nanoTime() + Duration.ofMillis(5 * HEARTBEAT_MS).toNanos();
      while (System.nanoTime() < end) {
        bob.sendText("ping");
        assertThat(bob.await("pong", SOON).path("literal").asBoolean()).isTrue();
        Thread.sleep(HEARTBEAT_MS / 2);
      }
      assertThat(bob.closed()).isNotDone();
      // Had the edge's PING or its answer not passed, this one would have been reset before.
      assertThat(silent.awaitClosed(SOON).code()).isEqualTo(4003);
      assertThat(status(proxy, "/readyz")).isEqualTo(200);
      assertThat(status(proxy, "/metrics")).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nginx", "haproxy"})
  void tellsTheClientsAddressAndNotWhatTheClientWrote(String program) throws Exception {
    try (HeadRecorder edge = new HeadRecorder();
        ProxyProcess proxy = proxy(program, edge.port());
        Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
      client
          .getOutputStream()
          .write(
              ("GET /v1/ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                      + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                      + "Authorization: Bearer t\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(edge.next())
          .map(line -> line.toLowerCase(Locale.ROOT))
          .contains(
              "x-forwarded-for: 127.0.0.1",
              "upgrade: websocket",
              "connection: upgrade",
              "authorization: bearer t")
          .noneMatch(line -> line.contains("6.6.6.6"));
    }
  }

  private static ProxyProcess proxy(String program, int edgePort) throws InterruptedException {
    Optional<Path> found = ProxyProcess.find(program);
    assumeTrue(found.isPresent(), program + " is not installed");
    return program.equals("nginx")
        ? ProxyProcess.nginx(found.get(), DOCS.resolve("nginx.conf"), edgePort)
        : ProxyProcess.haproxy(found.get(), DOCS.resolve("haproxy.cfg"), edgePort);
  }

  private static int edgePort() {
    if (cluster == null) {
      throw new IllegalStateException("not started");
    }
    return cluster.edgeUri(0).getPort();
  }

  private static EdgeClient welcomed(ProxyProcess proxy, String user) throws InterruptedException {
    URI uri = URI.create("ws://127.0.0.1:" + proxy.port() + "/v1/ws");
    return EdgeClient.welcomed(uri, Map.of("clientId", user, "lastSeq", 0));
  }

  private static int publish(ProxyProcess proxy, String user) throws Exception {
    return HTTP.send(
            HttpRequest.newBuilder(uri(proxy, "/v1/messages"))
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"to\":{\"user\":\"" + user + "\"},\"payload\":\"hi\"}"))
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static int status(ProxyProcess proxy, String path) throws Exception {
    return HTTP.send(
            HttpRequest.newBuilder(uri(proxy, path)).build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static URI uri(ProxyProcess proxy, String path) {
    return URI.create("http://127.0.0.1:" + proxy.port() + path);
  }
}
