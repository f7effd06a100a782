package dev.holdfast.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The test tools themselves, on a small cluster: what they report is what the kill tests rely on.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
@Tag("soak")
class ClusterTest {
  private static final int PHONES = 20;
  private static final int ROUNDS = 10;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Test
  void phonesThatLoseTheirConnectionGetEverythingOnce() throws InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (Cluster cluster = Cluster.start(ClusterSpec.named("cluster-test").withReplicas("a"));
        Phones phones = new Phones(seed)) {
      List<URI> edges = new ArrayList<>(cluster.edgeUris());
      for (int i = 0; i < PHONES; i++) {
        phones.phone("user-" + i, "phone-" + i, List.copyOf(edges)).start();
        Collections.reverse(edges);
      }
      for (int round = 0; round < ROUNDS; round++) {
        for (PhoneClient phone : phones.all()) {
          phone.send("user-" + random.nextInt(PHONES), "{\"n\":" + round + "}");
        }
        phones.all().get(random.nextInt(PHONES)).cut();
        TimeUnit.MILLISECONDS.sleep(100);
      }

      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                assertThat(phones.all()).allMatch(phone -> phone.unsent() == 0);
                assertThat(handed(phones)).as("seed %d", seed).isEqualTo(accepted(phones));
              });
      assertThat(phones.all()).allMatch(phone -> phone.log().violations().isEmpty());
      directClientSpeaksTheProtocol(cluster);
      assertThat(cluster.edge(0).terminate()).isZero();
      assertThat(cluster.streams(0).terminate()).isZero();
      assertThat(cluster.broker().terminate()).isZero();
    }
  }

  private static void directClientSpeaksTheProtocol(Cluster cluster) throws InterruptedException {
    try (EdgeClient client =
        EdgeClient.welcomed(
            cluster.edgeUri(1), Map.of("clientId", "direct", "user", "direct", "lastSeq", 0))) {
      assertThat(client.subprotocol()).isEqualTo("holdfast.v1");
      client.sendText("ping");
      assertThat(client.await("pong", PATIENCE).path("literal").asBoolean()).isTrue();
      client.sendTo("direct", "m1", "hello me");
      JsonNode message = client.await("message", PATIENCE);
      assertThat(message.path("payload").asText()).isEqualTo("hello me");
      client.abort();
      assertThat(client.awaitClosed(PATIENCE).code()).isEqualTo(1006);
    }
  }

  /** msgIds by user; a message handed over twice to one user fails here. */
  private static Map<String, Set<String>> handed(Phones phones) {
    Map<String, Set<String>> byUser = new HashMap<>();
    for (PhoneClient phone : phones.all()) {
      Set<String> ids = byUser.computeIfAbsent(phone.user(), user -> new HashSet<>());
      for (PhoneLog.Handed message : phone.log().handed()) {
        assertThat(ids.add(message.msgId())).as("%s twice", message).isTrue();
      }
    }
    return byUser;
  }

  private static Map<String, Set<String>> accepted(Phones phones) {
    Map<String, Set<String>> byUser = new HashMap<>();
    for (PhoneClient phone : phones.all()) {
      byUser.computeIfAbsent(phone.user(), user -> new HashSet<>());
      for (PhoneLog.Sent sent : phone.log().sent()) {
        for (String to : sent.to()) {
          byUser.computeIfAbsent(to, user -> new HashSet<>()).add(sent.msgId());
        }
      }
    }
    return byUser;
  }
}
