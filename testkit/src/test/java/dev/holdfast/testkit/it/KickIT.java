package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.topic.Topics;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An operator throws a user out, by the command, on real edges. */
final class KickIT {
  private static final Duration SOON = Duration.ofSeconds(15);

  @Test
  @DisplayName("kick ends one client's connection or all of a user's with 4410, on every edge")
  void kick() throws InterruptedException {
    try (Cluster cluster = Cluster.start(ClusterSpec.named("kick").withReplicas("a"));
        EdgeClient phone = client(cluster.edgeUri(0), "bob", "phone");
        EdgeClient laptop = client(cluster.edgeUri(1), "bob", "laptop");
        EdgeClient other = client(cluster.edgeUri(0), "zoe", "phone");
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      assertThat(kick(cluster, "bob", "--client", "phone")).isZero();

      assertThat(phone.awaitClosed(SOON)).isEqualTo(new EdgeClient.Closed(4410, "kicked"));
      other.sendTo("bob", "1", "one");
      assertThat(laptop.messages(1, SOON).get(0).path("seq").asLong()).isEqualTo(1);
      awaitClients(kafka, "laptop");

      assertThat(kick(cluster, "bob")).isZero();

      assertThat(laptop.awaitClosed(SOON).code()).isEqualTo(4410);
      other.sendTo("bob", "2", "two");
      other.await("sent", SOON);
      assertThat(other.closed()).isNotDone();
      try (EdgeClient again = client(cluster.edgeUri(1), "bob", "phone")) {
        assertThat(again.messages(2, SOON).get(1).path("payload").asText()).isEqualTo("two");
        awaitClients(kafka, "phone");
      }
      assertThat(kafka.committed(Topics.DEAD_LETTERS)).isEmpty();
    }
  }

  private static int kick(Cluster cluster, String... args) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("kick"));
    command.addAll(List.of(args));
    command.addAll(List.of("--bootstrap", cluster.bootstrap()));
    try (HoldfastProcess process = HoldfastProcess.start("kick-command", command)) {
      return process.awaitExit(Duration.ofSeconds(30));
    }
  }

  private static EdgeClient client(URI edge, String user, String clientId)
      throws InterruptedException {
    return EdgeClient.welcomed(edge, Map.of("clientId", clientId, "user", user, "lastSeq", 0));
  }

  private static void awaitClients(KafkaLog kafka, String only) {
    Awaitility.await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              var clients = kafka.newest(Topics.PRESENCE, "bob").orElseThrow().path("clients");
              assertThat(clients).hasSize(1);
              assertThat(clients.get(0).path("clientId").asText()).isEqualTo(only);
            });
  }
}
