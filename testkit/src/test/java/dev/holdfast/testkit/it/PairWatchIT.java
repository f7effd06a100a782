package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who runs a hot pair learns that it has only one. */
@Tag("campaign")
final class PairWatchIT {
  private static final String ALERT = "the pair has only one: no instance of holdfast-delivery-b";

  /** The session of the killed one, the patience of the watch, and a look. */
  private static final Duration NOTICED = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  @Tag("soak")
  @DisplayName("D14: when one of the pair is gone the other one says so, and stays ready")
  void onlyOneIsTold() throws Exception {
    try (Cluster cluster =
        Cluster.start(ClusterSpec.named("pair-watch").withReplicas("a", "b").withEdges(0))) {
      awaitPair(cluster, "both", Duration.ofSeconds(20));
      assertThat(log(cluster)).doesNotContain("the pair");
      cluster.streams(1).kill9();
      awaitPair(cluster, "alone", NOTICED);
      Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> log(cluster).contains(ALERT));
      cluster.streams(1).start();
      awaitPair(cluster, "both", Duration.ofSeconds(20));
      assertThat(log(cluster)).contains("the pair no longer has only one: both");
    }
  }

  @Test
  @DisplayName("D14: one that runs without a pair is not told of one")
  void noPairIsNoAlert() throws Exception {
    try (Cluster cluster =
        Cluster.start(ClusterSpec.named("pair-none").withReplicas("a").withEdges(0))) {
      // Longer than from one look to the next.
      Awaitility.await()
          .during(Duration.ofSeconds(8))
          .atMost(Duration.ofSeconds(15))
          .until(
              () -> readyz(cluster).body(),
              body -> body.equals("{\"status\":\"ready\",\"pair\":\"none\"}\n"));
      assertThat(log(cluster)).doesNotContain("the pair");
    }
  }

  private void awaitPair(Cluster cluster, String state, Duration patience) {
    Awaitility.await()
        .atMost(patience)
        .untilAsserted(
            () -> {
              HttpResponse<String> answer = readyz(cluster);
              assertThat(answer.statusCode()).isEqualTo(200);
              assertThat(answer.body()).contains("\"pair\":\"" + state + "\"");
            });
  }

  private HttpResponse<String> readyz(Cluster cluster) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(cluster.streamsHttp(0) + "/readyz")).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** What the instance has said since it was started; earlier runs are in the same file. */
  private static String log(Cluster cluster) throws IOException {
    String all = Files.readString(cluster.streams(0).process().log());
    return all.substring(all.lastIndexOf("--- pid "));
  }
}
