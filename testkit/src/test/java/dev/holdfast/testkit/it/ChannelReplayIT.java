package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.utils.Utils;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code holdfast replay --channel}: nobody is sent twice what edges know, unless told so. */
final class ChannelReplayIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String NAMESPACES =
      "rooms:publish=clients,wide:publish=clients,halls:publish=clients,ticks:mode=latest,kept";
  private static final String GO_ON = "to go on after a stop: the same command, but with ";
  private static final Pattern RUN = Pattern.compile("in run ([0-9a-f-]{36})");

  private static Cluster cluster;
  private static ChannelTopic rooms;
  private static ChannelTopic wide;
  private static int commands;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        Cluster.start(
            ClusterSpec.named("channel-replay")
                .withReplicas("a")
                .withEdges(1)
                .withEdgeOptions("--namespace", NAMESPACES));
    rooms = ChannelTopic.create(cluster.bootstrap(), "rooms", 2, Map.of());
    wide = ChannelTopic.create(cluster.bootstrap(), "wide", 1, Map.of());
    ChannelTopic.create(cluster.bootstrap(), "kept", 1, Map.of("cleanup.policy", "compact"))
        .close();
  }

  @AfterAll
  static void stop() {
    rooms.close();
    wide.close();
    cluster.close();
  }

  private static EdgeClient client(String user) throws InterruptedException {
    return EdgeClient.welcomed(cluster.edgeUri(0), Map.of("clientId", user, "user", user));
  }

  private static String replay(int status, String channel, String... options)
      throws InterruptedException {
    List<String> words = new ArrayList<>(List.of("replay", "--channel", channel));
    words.addAll(List.of(options));
    words.addAll(List.of("--namespace", NAMESPACES, "--bootstrap", cluster.bootstrap()));
    String name = "channel-replay-command-" + ++commands;
    try (HoldfastProcess process = HoldfastProcess.start(name, words)) {
      assertThat(process.awaitExit(SOON)).as(process.tail()).isEqualTo(status);
      return process.tail();
    }
  }

  private static JsonNode event(EdgeClient bob) throws InterruptedException {
    return bob.await("event", SOON);
  }

  @Test
  @DisplayName("a repeat is not sent within the window; as new, all is sent once a run")
  void again() throws Exception {
    try (EdgeClient ann = client("ann");
        EdgeClient bob = client("bob")) {
      ChannelIT.subscribe(bob, "rooms:lobby", null);
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        ChannelIT.publish(ann, "m" + i, "rooms:lobby", i);
        ids.add(event(bob).path("msgId").asText());
      }
      long to = rooms.send("lobby", "\"foreign\"").offset() + 1;
      assertThat(event(bob).path("payload").asText()).isEqualTo("foreign");
      rooms.send("another", "\"of another channel\"");

      String dry = replay(0, "rooms:lobby", "--from", "-10m", "--dry-run");
      assertThat(dry)
          .contains("partition offset time msgId bytes", ids.get(0), ids.get(2))
          .contains("would send 3 events of channel rooms:lobby (3 bytes) in run ")
          .contains("edges drop 3 of these, whose first one lies within 10000 records before")
          .contains("left out 1 record without a msgId");
      assertThat(replay(0, "rooms:lobby", "--from", "-10m"))
          .contains("sent 3 events of channel rooms:lobby")
          .contains("edges drop 3 of these");
      rooms.send("lobby", "\"settled\"");
      assertThat(event(bob).path("payload").asText()).isEqualTo("settled");

      String[] range = {"--from", "0", "--to", String.valueOf(to), "--as-new"};
      String out = replay(0, "rooms:lobby", range);
      assertThat(out).contains("sent 4 events").doesNotContain("edges drop", "left out");
      for (String payload : List.of("0", "1", "2", "foreign")) {
        JsonNode event = event(bob);
        assertThat(event.path("payload").asText()).isEqualTo(payload);
        assertThat(event.path("msgId").asText()).isNotIn(ids);
      }
    }
  }

  private static String run(String out) {
    Matcher run = RUN.matcher(out);
    assertThat(run.find()).as(out).isTrue();
    return run.group(1);
  }

  @Test
  @DisplayName("a run that is repeated goes on where it stopped, and its end stays where it was")
  void repeated() throws Exception {
    try (EdgeClient bob = client("bob3")) {
      ChannelIT.subscribe(bob, "rooms:run", null);
      long from = rooms.send("run", "0").offset();
      long middle = rooms.send("run", "1").offset() + 1;
      long to = rooms.send("run", "2").offset() + 1;
      assertThat(List.of(payload(bob), payload(bob), payload(bob))).containsExactly("0", "1", "2");
      String begin = String.valueOf(from);

      // As one that stopped after two would have left it, but for the end.
      String out =
          replay(0, "rooms:run", "--from", begin, "--to", String.valueOf(middle), "--as-new");
      assertThat(out).contains("sent 2 events", "--from " + from + " --to " + middle);
      String part = run(out);
      assertThat(
              replay(
                  0,
                  "rooms:run",
                  "--from",
                  begin,
                  "--to",
                  String.valueOf(to),
                  "--as-new",
                  "--run",
                  part))
          .contains("sent 1 event", "2 events were sent before in this run");
      assertThat(List.of(payload(bob), payload(bob), payload(bob))).containsExactly("0", "1", "2");

      String whole = replay(0, "rooms:run", "--from", begin, "--as-new");
      assertThat(whole).contains("sent 3 events", "left out 3 copies");
      assertThat(List.of(payload(bob), payload(bob), payload(bob))).containsExactly("0", "1", "2");
      rooms.send("run", "3"); // behind the end of the run
      assertThat(payload(bob)).isEqualTo("3");
      assertThat(replay(0, "rooms:run", "--from", begin, "--as-new", "--run", run(whole)))
          .contains("sent 0 events", "3 events were sent before in this run");
      rooms.send("run", "4");
      assertThat(payload(bob)).isEqualTo("4");
    }
  }

  @Test
  @DisplayName("one that is killed on the way goes on as it said: nothing is missing or sent twice")
  void killed() throws Exception {
    int events = 2_000;
    List<String> all = IntStream.range(0, events).mapToObj(String::valueOf).toList();
    try (EdgeClient bob = client("bob4")) {
      ChannelIT.subscribe(bob, "rooms:killed", null);
      all.forEach(n -> rooms.sendOnly("killed", n));
      rooms.flush();
      assertThat(payloads(bob, events)).isEqualTo(all);

      List<String> words =
          List.of("replay", "--channel", "rooms:killed", "--from", "-10m", "--as-new");
      List<String> slow = new ArrayList<>(words);
      slow.addAll(List.of("--namespace", NAMESPACES, "--bootstrap", cluster.bootstrap()));
      slow.add("--kafka.batch.size=1"); // a request for each record
      List<String> came = new ArrayList<>();
      String[] on;
      try (HoldfastProcess process = HoldfastProcess.start("channel-replay-killed", slow)) {
        came.add(payload(bob));
        Awaitility.await().atMost(SOON).until(() -> process.said(GO_ON).isPresent());
        on = process.said(GO_ON).orElseThrow().split(" ");
        process.kill9();
      }
      List<String> options = new ArrayList<>(List.of("--as-new"));
      options.addAll(List.of(on));
      String out = replay(0, "rooms:killed", options.toArray(String[]::new));
      came.addAll(payloads(bob, events - 1));
      assertThat(came).isEqualTo(all);
      assertThat(number(out, "sent (\\d+) events")).as(out).isBetween(1, events - 1);
      assertThat(number(out, "(\\d+) events? (?:was|were) sent before")).as(out).isPositive();
      rooms.send("killed", "\"settled\"");
      assertThat(payload(bob)).isEqualTo("settled");
    }
  }

  private static int number(String out, String pattern) {
    Matcher number = Pattern.compile(pattern).matcher(out);
    assertThat(number.find()).as(out).isTrue();
    return Integer.parseInt(number.group(1));
  }

  private static List<String> payloads(EdgeClient bob, int count) throws InterruptedException {
    List<String> payloads = new ArrayList<>();
    while (payloads.size() < count) {
      payloads.add(payload(bob));
    }
    return payloads;
  }

  private static String payload(EdgeClient bob) throws InterruptedException {
    return event(bob).path("payload").asText();
  }

  @Test
  @DisplayName("beyond the window it is sent again under its msgId, for clients to drop")
  void beyond() throws Exception {
    try (EdgeClient ann = client("ann2");
        EdgeClient bob = client("bob2")) {
      ChannelIT.subscribe(bob, "wide:lobby", null);
      ChannelIT.publish(ann, "m", "wide:lobby", "once");
      JsonNode first = event(bob);
      for (int i = 0; i < 10_000; i++) {
        wide.sendOnly("other", "1");
      }
      wide.flush();

      assertThat(replay(1, "wide:lobby", "--from", "0", "--dry-run"))
          .contains(" beyond the window\n", "would send 1 event of channel wide:lobby")
          .contains("nothing was sent: 1 of 1 event", "--beyond-window");
      assertThat(replay(1, "wide:lobby", "--from", "0"))
          .contains("nothing was sent: 1 of 1 event", "--beyond-window");
      wide.send("lobby", "\"settled\"");
      assertThat(payload(bob)).isEqualTo("settled");

      String out = replay(0, "wide:lobby", "--from", "0", "--beyond-window");
      assertThat(out)
          .contains("sent 1 event of channel wide:lobby", "1 of these went to all subscribers")
          .doesNotContain("edges drop");

      JsonNode second = event(bob);
      assertThat(second.path("msgId")).isEqualTo(first.path("msgId"));
      assertThat(second.path("payload").asText()).isEqualTo("once");
      assertThat(replay(0, "wide:lobby", "--from", "0", "--run", run(out)))
          .contains("sent 0 events", "1 event was sent before in this run");
    }
  }

  @Test
  @DisplayName(
      "where a channel lay before its topic grew is read when asked for, and told otherwise")
  void grown() throws Exception {
    String key = "lobby-5"; // in partition 1 of 2
    assertThat(Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % 2)
        .isEqualTo(1);
    String channel = "halls:" + key;
    try (ChannelTopic halls = ChannelTopic.create(cluster.bootstrap(), "halls", 1, Map.of())) {
      halls.send(key, "\"before\"");
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      admin.createPartitions(Map.of("halls", NewPartitions.increaseTo(2))).all().get();
    }

    assertThat(replay(0, channel, "--from", "0", "--as-new"))
        .contains("sent 0 events", "read partition 1 of halls", "--partitions-before");
    assertThat(replay(0, channel, "--from", "0", "--as-new", "--partitions-before", "1"))
        .contains("sent 1 event of channel " + channel, "read partition 0 of halls");
    assertThat(replay(0, channel, "--from", "0", "--as-new", "--dry-run"))
        .containsPattern("\n1 0 [^ ]+ [A-Za-z0-9_-]{22} 8\n");
  }

  @Test
  @DisplayName("newest values are not replayed, nor what no namespace has")
  void refusals() throws Exception {
    assertThat(replay(1, "ticks:EURUSD", "--from", "-1h"))
        .contains("a replay would put old values over newer ones");
    assertThat(replay(1, "kept:x", "--from", "-1h")).contains("topic kept is compacted");
    assertThat(replay(2, "none:x", "--from", "-1h")).contains("give the --namespace none");
  }
}
