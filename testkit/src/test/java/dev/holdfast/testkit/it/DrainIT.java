package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.PhoneClient;
import dev.holdfast.testkit.process.Phones;
import dev.holdfast.topic.Topics;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An edge is restarted at noon: its phones move to the other one, and nobody notices. */
final class DrainIT {
  private static final int PHONES = 300;
  private static final int SECONDS = 10;
  private static final Duration EXIT = Duration.ofSeconds(SECONDS + 10);
  private static final Duration SOON = Duration.ofSeconds(10);

  private static ClusterSpec spec(String name) {
    return ClusterSpec.named(name)
        .withReplicas("a")
        .withEdgeOptions("--drain-seconds=" + SECONDS, "--admin-port=0");
  }

  /** Phones that start on one edge, know both, and write to each other. */
  private static final class Crowd implements AutoCloseable {
    private final Phones phones = new Phones(7);
    private final Random random = new Random(7);
    private final List<PhoneClient> all = new ArrayList<>();
    private final int[] counters = new int[PHONES];
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

    Crowd(URI first, URI second) {
      for (int i = 0; i < PHONES; i++) {
        all.add(phones.phone("user" + i, "phone" + i, List.of(first, second)).start());
      }
      awaitWelcomes(1);
      var unused = clock.scheduleAtFixedRate(this::send, 0, 10, TimeUnit.MILLISECONDS);
    }

    private void send() {
      int from = random.nextInt(PHONES);
      all.get(from).send("user" + random.nextInt(PHONES), Integer.toString(counters[from]++));
    }

    /** Waits until each phone was welcomed so many times; none of them without resuming. */
    void awaitWelcomes(int times) {
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  all.stream().allMatch(p -> p.log().counts().getOrDefault("resumed", 0) >= times));
    }

    /** Stops writing and waits until everything has arrived. */
    void settle() throws InterruptedException {
      clock.shutdown();
      assertThat(clock.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
      Ledger ledger = new Ledger(all);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () -> {
                assertThat(all).allMatch(p -> p.unsent() == 0);
                assertThat(ledger.missing()).isEmpty();
              });
      assertThat(ledger.violations()).isEmpty();
    }

    /** How connections ended, with how many phones saw it. */
    Map<String, Integer> ends() {
      Map<String, Integer> ends = new TreeMap<>();
      for (PhoneClient phone : all) {
        phone
            .log()
            .counts()
            .forEach(
                (what, times) -> {
                  if (what.startsWith("closed")) {
                    ends.merge(what, times, Integer::sum);
                  }
                });
      }
      return ends;
    }

    @Override
    public void close() {
      clock.shutdownNow();
      phones.close();
    }
  }

  @Test
  @DisplayName("R-6.2: SIGTERM spreads 4001 over the drain; nothing is lost, nobody goes offline")
  void sigterm() throws Exception {
    try (Cluster cluster = Cluster.start(spec("drain"));
        Crowd crowd = new Crowd(cluster.edgeUri(0), cluster.edgeUri(1));
        EdgeClient silent = EdgeClient.connect(cluster.edgeUri(0))) {
      cluster.edge(0).process().signal("TERM");

      Awaitility.await()
          .atMost(Duration.ofSeconds(2))
          .until(() -> Web.status(cluster.edgeHttp(0) + "/readyz") == 503);
      refusesSockets(cluster.edgeUri(0));
      answersAndCloses(cluster.edgeHttp(0));
      assertThat(cluster.edge(0).process().awaitExit(EXIT)).isZero();

      assertThat(silent.awaitClosed(SOON).code()).as("before its hello").isEqualTo(4001);
      crowd.awaitWelcomes(2);
      crowd.settle();
      assertThat(crowd.ends()).containsExactly(Map.entry("closed 4001", PHONES));
      try (KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
        List<Long> closes = times(kafka, "\"type\":\"disconnect\"", "\"server_restart\"");
        assertThat(closes).as("disconnects in the log").hasSize(PHONES);
        evenly("closes", closes);
        List<Long> returns = times(kafka, "\"type\":\"connect\"", "\"edge-2\"");
        assertThat(returns).hasSize(PHONES);
        evenly("returns", returns);
        assertThat(offline(kafka)).as("shown offline").isEmpty();
      }
    }
  }

  private static void refusesSockets(URI edge) {
    assertThat(EdgeClient.tryConnect(edge, Map.of(), "holdfast.v1"))
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOfSatisfying(
            WebSocketHandshakeException.class,
            refused -> {
              assertThat(refused.getResponse().statusCode()).isEqualTo(503);
              assertThat(refused.getResponse().headers().firstValue("Retry-After")).isPresent();
            });
  }

  private static void answersAndCloses(String edge) throws InterruptedException {
    assertThat(Web.status(edge + "/healthz")).isEqualTo(200);
    HttpResponse<String> published =
        Web.post(edge + "/v1/messages", "{\"to\":{\"user\":\"nobody\"},\"payload\":1}");
    assertThat(published.statusCode()).isEqualTo(202);
    assertThat(published.headers().firstValue("Connection")).contains("close");
  }

  private static List<Long> times(KafkaLog kafka, String... parts) {
    return kafka.committed(Topics.EVENTS).stream()
        .filter(
            r -> {
              String value = new String(r.value(), StandardCharsets.UTF_8);
              return List.of(parts).stream().allMatch(value::contains);
            })
        .map(r -> r.timestamp())
        .sorted()
        .toList();
  }

  /** No thousand milliseconds, wherever they begin, have more than twice the mean. */
  private static void evenly(String what, List<Long> times) {
    int most = 0;
    int from = 0;
    for (int to = 0; to < times.size(); to++) {
      while (times.get(to) - times.get(from) >= 1_000) {
        from++;
      }
      most = Math.max(most, to - from + 1);
    }
    long took = times.get(times.size() - 1) - times.get(0);
    System.out.printf(
        "%s: %d over %d ms, mean %d a second, busiest second %d%n",
        what, times.size(), took, times.size() / SECONDS, most);
    assertThat(most).as(what + " in the busiest second").isLessThanOrEqualTo(2 * PHONES / SECONDS);
    assertThat(took).as(what + " take about the drain").isGreaterThan(900L * (SECONDS - 1));
  }

  private static List<String> offline(KafkaLog kafka) {
    return kafka.committed(Topics.PRESENCE).stream()
        .map(r -> new String(r.value(), StandardCharsets.UTF_8))
        .filter(value -> value.contains("\"offline\"") && value.contains("\"user\":\"user"))
        .toList();
  }

  @Test
  @Tag("soak")
  @DisplayName("R-6.2: the admin port drains as SIGTERM does; a second signal ends at once")
  void adminPortAndSecondSignal() throws InterruptedException {
    try (Cluster cluster = Cluster.start(spec("drain-admin"));
        Crowd crowd = new Crowd(cluster.edgeUri(0), cluster.edgeUri(1))) {
      HoldfastProcess edge = cluster.edge(0).process();
      String admin = edge.said("admin ").orElseThrow();
      assertThat(Web.status(admin + "/readyz")).isEqualTo(200);
      assertThat(Web.status(admin + "/metrics")).isEqualTo(200);
      assertThat(Web.status(cluster.edgeHttp(0) + "/metrics")).isEqualTo(404);

      assertThat(Web.post(admin + "/admin/drain", "").statusCode()).isEqualTo(202);
      assertThat(Web.status(admin + "/readyz")).isEqualTo(503);
      assertThat(Web.status(cluster.edgeHttp(0) + "/readyz")).isEqualTo(503);
      assertThat(Web.post(admin + "/admin/drain", "").statusCode()).isEqualTo(202);
      edge.signal("TERM"); // as an orchestrator does after its hook
      assertThat(edge.awaitExit(EXIT)).isZero();

      crowd.awaitWelcomes(2);
      assertThat(crowd.ends()).containsExactly(Map.entry("closed 4001", PHONES));
      endsAtOnce(cluster, 1, "TERM", 143);
      cluster.edge(1).start();
      crowd.awaitWelcomes(3);
      endsAtOnce(cluster, 1, "INT", 130);
      cluster.edge(0).start();
      crowd.awaitWelcomes(4);
      crowd.settle();
    }
  }

  /** With connections left to drain. */
  private static void endsAtOnce(Cluster cluster, int index, String signal, int status)
      throws InterruptedException {
    HoldfastProcess edge = cluster.edge(index).process();
    edge.signal(signal);
    Awaitility.await()
        .atMost(Duration.ofSeconds(2))
        .until(() -> Web.status(cluster.edgeHttp(index) + "/readyz") == 503);
    edge.signal(signal);
    assertThat(edge.awaitExit(Duration.ofSeconds(2))).isEqualTo(status);
  }
}
