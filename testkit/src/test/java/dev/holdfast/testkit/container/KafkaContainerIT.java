package dev.holdfast.testkit.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.Limits;
import dev.holdfast.delivery.DeliveryApp;
import dev.holdfast.delivery.DeliveryConfig;
import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.edge.EdgeConfig;
import dev.holdfast.edge.EdgeNode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** One streams instance and two edges in this JVM, with the official broker image behind them. */
class KafkaContainerIT {
  private static final DockerImageName IMAGE = DockerImageName.parse("apache/kafka:4.4.0");
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String HOST = "127.0.0.1";

  /** Before each test, so that the report counts one skipped test and not none. */
  @BeforeEach
  void engine() {
    boolean available = DockerClientFactory.instance().isDockerAvailable();
    if (System.getenv("HOLDFAST_DOCKER_REQUIRED") != null) {
      assertThat(available).as("a Docker engine, which HOLDFAST_DOCKER_REQUIRED asks for").isTrue();
    }
    String why = "SKIPPED: no Docker engine runs here, so " + IMAGE + " cannot be started";
    if (!available) {
      System.out.println(why);
    }
    assumeTrue(available, why);
  }

  @Test
  @DisplayName("Send, cut, resume elsewhere, and a streams instance that starts without its state")
  void pipeline(@TempDir Path dir) throws Exception {
    try (KafkaContainer kafka = new KafkaContainer(IMAGE).withStartupTimeout(PATIENCE)) {
      kafka.start();
      String bootstrap = kafka.getBootstrapServers();
      try (TopicsAdmin admin = new TopicsAdmin(bootstrap, Map.of())) {
        admin.awaitBroker(PATIENCE);
        admin.init(new TopicSizes(4, 2, 1));
      }
      try (EdgeNode one = edge(bootstrap, "edge-1");
          EdgeNode two = edge(bootstrap, "edge-2");
          Instances streams = new Instances(bootstrap, dir)) {
        streams.next();
        try (Conversation conversation = new Conversation(uri(one), uri(two), "it")) {
          conversation.talk();
          conversation.survive("a new streams instance without local state", streams::next);
        }
      }
    }
  }

  /** One streams instance after another, each with an empty directory. */
  private static final class Instances implements AutoCloseable {
    private final String bootstrap;
    private final Path dir;
    private @Nullable DeliveryApp running;
    private int started;

    Instances(String bootstrap, Path dir) {
      this.bootstrap = bootstrap;
      this.dir = dir;
    }

    void next() throws InterruptedException, TimeoutException {
      close();
      Path data = dir.resolve("streams-" + ++started);
      DeliveryApp app =
          new DeliveryApp(
              new DeliveryConfig(bootstrap, data, "a", 1, 0, "classic", HOST, -1, Map.of()));
      running = app;
      app.start();
      app.awaitRunning(PATIENCE);
    }

    @Override
    public void close() {
      if (running != null) {
        running.close();
        running = null;
      }
    }
  }

  private static EdgeNode edge(String bootstrap, String id) {
    EdgeNode edge = new EdgeNode(new EdgeConfig(bootstrap, HOST, 0, id, Limits.DEFAULT, Map.of()));
    edge.start();
    return edge;
  }

  private static URI uri(EdgeNode edge) {
    return URI.create("ws://" + HOST + ":" + edge.port() + "/v1/ws");
  }
}
