package dev.holdfast.testkit.it;

import static dev.holdfast.testkit.it.ChannelIT.event;
import static dev.holdfast.testkit.it.ChannelIT.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.channel.Position;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A topic gets more partitions while its channels are written to and read, on two edges. */
@Tag("campaign")
final class ChannelGrowthIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> KEYS = IntStream.range(0, 8).mapToObj(i -> "k" + i).toList();

  private static Cluster cluster;

  @BeforeAll
  static void start() throws InterruptedException {
    cluster =
        Cluster.start(
            ClusterSpec.named("channel-growth")
                .withReplicas("a")
                .withEdgeOptions("--namespace", "grown:publish=clients,twice:publish=clients"));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  @Tag("soak")
  @DisplayName("whose channel lies elsewhere is told, and nothing that was stored is lost to him")
  void grown() throws Exception {
    grow("grown", 5);
  }

  @Test
  @DisplayName("the same when it grows again while subscribers still wait where they were")
  void grownTwice() throws Exception {
    grow("twice", 3, 6); // multiples, so that no channel returns to where it was
  }

  private static void grow(String name, int... sizes) throws Exception {
    try (ChannelTopic topic = ChannelTopic.create(cluster.bootstrap(), name, 1, Map.of());
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
        EdgeClient live = client(0, name + "-live");
        EdgeClient near = client(0, name + "-near");
        EdgeClient far = client(1, name + "-far")) {
      Reader reader = new Reader(live);
      for (String key : KEYS) {
        reader.takes(subscribe(live, name + ":" + key, null));
        topic.send(key, "\"first\"");
        reader.takes(event(live, name + ":" + key));
      }
      Writers writers = new Writers(name, near, far);
      writers.round();
      for (int size : sizes) {
        admin.createPartitions(Map.of(name, NewPartitions.increaseTo(size))).all().get();
        String heard = "topic " + name + " has " + size + " partitions now";
        long until = System.nanoTime() + SOON.toNanos();
        while (!log(0).contains(heard) || !log(1).contains(heard)) {
          assertThat(System.nanoTime()).as(heard).isLessThan(until);
          writers.round();
          reader.takeAll();
        }
      }
      // Both edges write all the while, whatever each of them has heard by then.
      long until = System.nanoTime() + Duration.ofSeconds(15).toNanos();
      while (System.nanoTime() < until) {
        writers.round();
        reader.takeAll();
      }
      Awaitility.await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                reader.takeAll();
                Set<String> lacks = new TreeSet<>(writers.stored);
                lacks.removeAll(reader.had);
                assertThat(lacks).isEmpty();
              });
      assertThat(reader.moved).isNotEmpty().containsOnly("repartitioned");
      assertThat(reader.twice).as("what came twice").isEmpty();
    }
  }

  /** The log of this very process; those of former ones are in the same file. */
  private static String log(int edge) throws IOException {
    String all = Files.readString(cluster.edge(edge).process().log());
    return all.substring(all.lastIndexOf("--- pid "));
  }

  /** Two clients on two edges that write to all channels, round after round. */
  private static final class Writers {
    private final String name;
    private final EdgeClient near;
    private final EdgeClient far;
    private final Set<String> stored = new HashSet<>();
    private int rounds;

    Writers(String name, EdgeClient near, EdgeClient far) {
      this.name = name;
      this.near = near;
      this.far = far;
    }

    void round() throws InterruptedException {
      for (String key : KEYS) {
        stored.add(publish(near, name + ":" + key, key + "-near" + rounds));
        stored.add(publish(far, name + ":" + key, key + "-far" + rounds));
      }
      rounds++;
    }
  }

  /** Again and again until it is stored, as any client does. */
  private static String publish(EdgeClient client, String channel, String id)
      throws InterruptedException {
    JsonNode answer = JSON.createObjectNode();
    while (!answer.path("type").asText().equals("sent")) {
      client.send(
          JSON.createObjectNode()
              .put("type", "send")
              .put("clientMsgId", id)
              .put("channel", channel)
              .put("payload", id));
      answer = client.await(f -> f.path("clientMsgId").asText().equals(id), id, SOON);
      assertThat(answer.path("retryable").asBoolean(true)).as("%s", answer).isTrue();
    }
    return id;
  }

  private static EdgeClient client(int edge, String user) throws InterruptedException {
    return EdgeClient.welcomed(cluster.edgeUri(edge), Map.of("clientId", user, "user", user));
  }

  /**
   * A client as the protocol asks for: what it is told to read from the history, it reads, up to
   * where it was told that live events begin. An edge that wrote to a partition that had just been
   * left writes the same again where it belongs; that a client knows by its id.
   */
  private static final class Reader {
    private final EdgeClient client;
    private final Map<String, String> positions = new HashMap<>();
    private final Set<String> had = new HashSet<>();
    private final Set<String> records = new HashSet<>();
    private final List<String> moved = new ArrayList<>();
    private final List<String> twice = new ArrayList<>();

    Reader(EdgeClient client) {
      this.client = client;
    }

    void takeAll() throws IOException, InterruptedException {
      for (JsonNode frame : client.pending()) {
        JsonNode taken = client.await(f -> f.equals(frame), "a frame", SOON);
        if (taken.has("position")) {
          takes(taken);
        }
      }
    }

    void takes(JsonNode frame) throws IOException, InterruptedException {
      String channel = frame.path("channel").asText();
      String before = positions.put(channel, frame.path("position").asText());
      if (frame.path("type").asText().equals("event")) {
        has(frame);
      } else if (before != null && !frame.path("recovered").asBoolean(true)) {
        moved.add(frame.path("reason").asText());
        read(channel, before, position(frame));
      }
    }

    /** Positions are opaque to clients; here they tell which record it is. */
    private static Position position(JsonNode frame) {
      return Objects.requireNonNull(Position.parse(frame.path("position").asText()));
    }

    private void has(JsonNode event) {
      Position at = position(event);
      String id = event.path("msgId").asText(event.path("channel").asText());
      boolean news = records.add(at.partition() + "/" + at.next());
      news &= records.add(at.partition() + "/" + id); // the edge drops repeats within a partition
      if (!news) {
        twice.add(event.toString());
      }
      had.add(event.path("payload").asText());
    }

    private void read(String channel, String from, Position live)
        throws IOException, InterruptedException {
      String after = from;
      boolean more = true;
      while (more) {
        JsonNode page = page("/v1/channels/" + channel + "/history?after=" + after);
        for (JsonNode event : page.path("events")) {
          if (!comesLive(position(event), live)) {
            has(event);
          }
        }
        assertThat(page.has("lost")).as("%s", page).isFalse();
        after = page.path("position").asText();
        more = page.path("more").asBoolean();
      }
    }

    /**
     * Whether it is sent after that anyway, or told of at the next move: since each number of
     * partitions is a multiple of the one before, a channel only ever moves to a higher partition.
     */
    private static boolean comesLive(Position at, Position live) {
      return at.partition() > live.partition()
          || (at.partition() == live.partition() && at.next() > live.next());
    }

    private static JsonNode page(String path) throws IOException, InterruptedException {
      HttpRequest request = HttpRequest.newBuilder(URI.create(cluster.edgeHttp(0) + path)).build();
      var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return JSON.readTree(answer.body());
    }
  }
}
