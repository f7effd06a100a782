package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.ChannelEvent;
import dev.holdfast.client.History;
import dev.holdfast.client.HistoryPage;
import dev.holdfast.client.HoldfastClient;
import dev.holdfast.client.HoldfastClientBuilder;
import dev.holdfast.client.Message;
import dev.holdfast.client.Presence;
import dev.holdfast.client.Sent;
import dev.holdfast.client.State;
import dev.holdfast.client.Subscribed;
import dev.holdfast.client.To;
import dev.holdfast.client.store.FileStore;
import dev.holdfast.testkit.process.Cluster;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java client against real edges, whose processes and whose own process are killed. */
final class ClientJavaIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String LOBBY = "rooms:lobby";

  @TempDir static Path dir;
  private static RoomCluster all;
  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    all = RoomCluster.start("client-java", spec -> spec);
    cluster = all.cluster();
  }

  @AfterAll
  static void stop() {
    all.close();
  }

  private static HoldfastClientBuilder on(int edge, String user) {
    return HoldfastClient.builder().url(cluster.edgeUri(edge).toString()).user(user);
  }

  private static ConditionFactory soon() {
    return Awaitility.await().atMost(SOON).pollInterval(Duration.ofMillis(20));
  }

  private static void online(HoldfastClient... clients) {
    for (HoldfastClient client : clients) {
      client.connect();
    }
    for (HoldfastClient client : clients) {
      soon().until(() -> client.state() == State.ONLINE);
    }
  }

  private static List<Integer> payloads(List<Message> messages) {
    return messages.stream().map(message -> message.payload().asInt()).toList();
  }

  private static List<Integer> numbers(int from, int to) {
    return IntStream.rangeClosed(from, to).boxed().toList();
  }

  @Test
  @DisplayName(
      "R-4.3, R-4.6, R-5.1: the edge is killed; the other one brings what was missed, once")
  void resumes() throws Exception {
    List<Message> got = new CopyOnWriteArrayList<>();
    List<String> urls = cluster.edgeUris().stream().map(String::valueOf).toList();
    try (HoldfastClient ann = on(1, "ann").build();
        HoldfastClient bob = HoldfastClient.builder().urls(urls).user("bob").build()) {
      bob.onMessage(got::add);
      online(ann, bob);
      send(ann, "bob", 1, 20);
      soon().until(() -> got.size() == 20);

      cluster.edge(0).kill9();
      send(ann, "bob", 21, 40);

      soon().until(() -> got.size() == 40);
      assertThat(payloads(got)).isEqualTo(numbers(1, 40));
      assertThat(bob.state()).isEqualTo(State.ONLINE);
      cluster.edge(0).start();
    }
  }

  private static List<Sent> send(HoldfastClient from, String to, int first, int last)
      throws Exception {
    List<Sent> sent = new ArrayList<>();
    for (var promise :
        IntStream.rangeClosed(first, last).mapToObj(i -> from.send(To.user(to), i)).toList()) {
      sent.add(promise.get(30, TimeUnit.SECONDS));
    }
    return sent;
  }

  @Test
  @DisplayName(
      "R-5.2, R-5.3: the client's process is killed, twice; its messages arrive once, in order")
  void outboxSurvives() throws Exception {
    int count = 300;
    List<Message> got = new CopyOnWriteArrayList<>();
    try (HoldfastClient zoe = on(1, "zoe").build()) {
      zoe.onMessage(got::add);
      online(zoe);
      Path store = dir.resolve("program");
      try (ClientProcess first = ClientProcess.start(store, "ws://127.0.0.1:1/v1/ws", count)) {
        first.await("stored", 1, SOON);
      }
      try (ClientProcess second = ClientProcess.start(store, edge(0), 0)) {
        second.await("sent ", 20, SOON);
      }
      try (ClientProcess third = ClientProcess.start(store, edge(1), 0)) {
        soon().until(() -> got.size() >= count);
        third.await("sent ", 1, SOON);
      }
      assertThat(payloads(got)).isEqualTo(numbers(1, count));
    }
  }

  private static String edge(int index) {
    return cluster.edgeUri(index).toString();
  }

  /** {@link ClientProgram}; closing it is SIGKILL. */
  private record ClientProcess(Process process, List<String> lines) implements AutoCloseable {
    static ClientProcess start(Path store, String url, int count) throws Exception {
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      List<String> command =
          List.of(
              java,
              "-XX:TieredStopAtLevel=1",
              "-cp",
              System.getProperty("java.class.path"),
              ClientProgram.class.getName(),
              store.toString(),
              url,
              "writer",
              "zoe",
              String.valueOf(count));
      Process process = new ProcessBuilder(command).redirectError(new File("/dev/null")).start();
      List<String> lines = new CopyOnWriteArrayList<>();
      Thread reader = new Thread(() -> process.inputReader().lines().forEach(lines::add));
      reader.setDaemon(true);
      reader.start();
      return new ClientProcess(process, lines);
    }

    void await(String prefix, int times, Duration limit) {
      Awaitility.await(prefix)
          .atMost(limit)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> lines.stream().filter(line -> line.startsWith(prefix)).count() >= times);
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }
  }

  @Test
  @DisplayName(
      "R-5.3, R-5.4: the same id again, also by another process of the client, is one message")
  void sameMessage() throws Exception {
    List<Message> got = new CopyOnWriteArrayList<>();
    try (HoldfastClient gil = on(0, "gil").build()) {
      gil.onMessage(got::add);
      online(gil);
      List<Sent> answers = new ArrayList<>();
      for (int edge = 0; edge < 2; edge++) {
        try (HoldfastClient fay = on(edge, "fay").clientId("fay-phone").build()) {
          online(fay);
          answers.add(fay.send(To.user("gil"), "once", "order-1").get(30, TimeUnit.SECONDS));
        }
      }
      assertThat(answers.get(0)).isEqualTo(answers.get(1));
      try (HoldfastClient fay = on(0, "fay").clientId("fay-phone").build()) {
        online(fay);
        fay.send(To.user("gil"), "last").get(30, TimeUnit.SECONDS);
      }
      soon().until(() -> got.size() >= 2);
      assertThat(got).extracting(m -> m.payload().asText()).containsExactly("once", "last");
    }
  }

  @Test
  @DisplayName("R-4.7: a room goes on where its client was; presence of who is watched")
  void roomsAndPresence() throws Exception {
    List<ChannelEvent> events = new CopyOnWriteArrayList<>();
    List<Subscribed> told = new CopyOnWriteArrayList<>();
    try (FileStore store = FileStore.open(dir.resolve("room"));
        HoldfastClient ida = on(1, "ida").build()) {
      try (HoldfastClient hal = on(0, "hal").name("room").store(store).build()) {
        hal.onEvent(events::add).onSubscribed(told::add);
        hal.subscribe(LOBBY);
        hal.watch(List.of("ida"));
        online(hal);
        soon().until(() -> told.size() == 1 && hal.presence("ida") != null);
        online(ida);
        soon().until(() -> sees(hal, "ida"));
        ida.send(To.channel(LOBBY), "hello").get(30, TimeUnit.SECONDS);
        soon().until(() -> events.size() == 1);
      }
      for (int i = 0; i < 5; i++) {
        ida.send(To.channel(LOBBY), i).get(30, TimeUnit.SECONDS);
      }
      try (HoldfastClient hal = on(1, "hal").name("room").store(store).build()) {
        hal.onEvent(events::add).onSubscribed(told::add);
        hal.subscribe(LOBBY);
        online(hal);
        soon().until(() -> events.size() == 6);
        assertThat(told).extracting(Subscribed::recovered).containsExactly(false, true);
        assertThat(events).extracting(e -> e.payload().asText()).endsWith("0", "1", "2", "3", "4");
        assertThat(hal.channelHistory(LOBBY, null, 10).get(30, TimeUnit.SECONDS).events())
            .hasSize(6);
      }
    }
  }

  @Test
  @DisplayName("R-4.4: too much was missed: history brings it, each message once")
  void history() throws Exception {
    List<Message> live = new CopyOnWriteArrayList<>();
    List<History> pages = new CopyOnWriteArrayList<>();
    try (FileStore store = FileStore.open(dir.resolve("history"))) {
      try (HoldfastClient jim = on(0, "jim").name("history").store(store).build()) {
        jim.onMessage(live::add);
        online(jim);
        publish("jim", 1);
        soon().until(() -> live.size() == 1);
      }
      for (int i = 0; i < 6; i++) {
        publish("jim", 100);
      }
      try (HoldfastClient jim = on(1, "jim").name("history").store(store).build()) {
        jim.onMessage(live::add).onHistory(pages::add);
        online(jim);
        publish("jim", 3);
        soon().until(() -> live.size() == 4 && pages.size() == 3);
        List<Long> seqs = new ArrayList<>();
        pages.forEach(page -> page.messages().forEach(message -> seqs.add(message.seq())));
        assertThat(seqs).isEqualTo(LongStream.rangeClosed(2, 601).boxed().toList());
        assertThat(live).extracting(Message::seq).containsExactly(1L, 602L, 603L, 604L);
        HistoryPage page = jim.history(600, 2).get(30, TimeUnit.SECONDS);
        assertThat(page.messages()).extracting(Message::seq).containsExactly(601L, 602L);
        assertThat(page.more()).isTrue();
      }
    }
  }

  private static boolean sees(HoldfastClient client, String user) {
    Presence last = client.presence(user);
    return last != null && last.online();
  }

  private static void publish(String user, int count) throws InterruptedException {
    String one = "{\"to\":{\"user\":\"" + user + "\"},\"payload\":1}";
    String all = String.join(",", Collections.nCopies(count, one));
    String body = "{\"messages\":[" + all + "]}";
    assertThat(Web.post(cluster.edgeHttp(0) + "/v1/messages", body).statusCode()).isEqualTo(202);
  }

  @Test
  @DisplayName("R-1.9: a second one of the same client id replaces the first, which stays away")
  void replaced() throws Exception {
    try (HoldfastClient first = on(0, "kim").clientId("kim-phone").build();
        HoldfastClient second = on(1, "kim").clientId("kim-phone").build()) {
      online(first);
      online(second);
      soon().until(() -> first.state() == State.CLOSED);
      assertThat(first.metrics().closes()).containsEntry(4002, 1L);
      assertThat(second.state()).isEqualTo(State.ONLINE);
    }
  }
}
