package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.AclCommand;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rights that docs/operations.md gives to each principal are enough, and no more than that. */
final class AclIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String HOST = "127.0.0.1";
  private static final Duration READY = Duration.ofSeconds(90);
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final List<String> USERS = List.of("edge", "streams", "operator", "stranger");

  /** The source that the page's commands name. */
  private static final String SOURCE = "orders";

  /** Topics that are namespaces of the edge. */
  private static final Set<String> CHANNELS = Set.of("quotes-a", "quotes-b", "quotes-c");

  @TempDir Path dir;
  private final int open = TestPorts.free();
  private final int guarded = TestPorts.free();
  private final int edgePort = TestPorts.free();
  private final List<HoldfastProcess> processes = new ArrayList<>();

  @Test
  @DisplayName("edges, streams and the operator work with the documented rights alone")
  void rightsAreEnoughAndNoMore() throws Exception {
    try {
      start("acl-broker", broker()).awaitReady(READY);
      int commands = runDocumentedCommands();
      assertThat(commands).isGreaterThan(10);
      HoldfastProcess init = start("acl-topics", as("operator", "topics", "init"));
      assertThat(init.awaitExit(READY)).isZero();
      HoldfastProcess rules =
          start("acl-rules", as("operator", "rules", "set", "--max-backlog=400"));
      assertThat(rules.awaitExit(READY)).isZero();
      makeTopics();
      String data = dir.resolve("streams").toString();
      String[] withSource = {"streams", "--data", data, "--port", "0", "--source", SOURCE};
      HoldfastProcess streams = start("acl-streams", as("streams", withSource));
      HoldfastProcess edge =
          start(
              "acl-edge",
              as(
                  "edge",
                  "edge",
                  "--port=" + edgePort,
                  "--namespace=" + String.join(",", CHANNELS)));
      streams.awaitReady(READY);
      edge.awaitReady(READY);
      aMessageArrives();
      aRecordOfTheSourceArrives();
      replays("--source=" + SOURCE);
      replays("--user=cy");
      assertThat(streams.isAlive()).isTrue();
      HoldfastProcess check = start("acl-rebuild", as("operator", "rebuild", "--check"));
      assertThat(check.awaitExit(READY)).as(check.tail()).isZero();
      aRightIsTakenAway(edge);
      refused("stranger", Topics.EVENTS);
      refused("edge", Topics.DELIVERIES);
      refused("edge", Topics.PRESENCE);
      refused("edge", Topics.RULES);
      refused("streams", Topics.RULES);
    } finally {
      processes.forEach(HoldfastProcess::close);
    }
  }

  private void aMessageArrives() throws InterruptedException {
    URI uri = URI.create("ws://" + HOST + ":" + edgePort + "/v1/ws");
    Map<String, ?> bob = Map.of("clientId", "bob", "lastSeq", 0);
    try (EdgeClient first = EdgeClient.welcomed(uri, Map.of("clientId", "ann"));
        EdgeClient second = EdgeClient.welcomed(uri, bob)) {
      first.sendTo("bob", "1", "hello");
      assertThat(second.await("message", SOON).path("payload").asText()).isEqualTo("hello");
      second.ack(1);
      second.send(JSON.valueToTree(Map.of("type", "watch", "users", List.of("ann"))));
      assertThat(second.await("presence", SOON).path("user").asText()).isEqualTo("ann");
    }
  }

  private void makeTopics() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", HOST + ":" + open))) {
      List<NewTopic> topics = new ArrayList<>(List.of(new NewTopic(SOURCE, 2, (short) 1)));
      CHANNELS.forEach(name -> topics.add(new NewTopic(name, 1, (short) 1)));
      admin.createTopics(topics).all().get();
      for (String name : CHANNELS) {
        rule(admin, name, AclOperation.READ, AclPermissionType.ALLOW);
      }
    }
  }

  private static void rule(Admin admin, String topic, AclOperation what, AclPermissionType how)
      throws Exception {
    ResourcePattern which = new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL);
    AccessControlEntry whom = new AccessControlEntry("User:edge", "*", what, how);
    admin.createAcls(List.of(new AclBinding(which, whom))).all().get();
  }

  /** Of one of the edge's topics; that another one grows it notices all the same, and says so. */
  private void aRightIsTakenAway(HoldfastProcess edge) throws Exception {
    // In the order in which an edge looks at them.
    List<String> channels = List.copyOf(new HashSet<>(CHANNELS));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", HOST + ":" + open))) {
      rule(admin, channels.get(0), AclOperation.DESCRIBE, AclPermissionType.DENY);
      String told = "cannot look at topic " + channels.get(0) + " (Topic authorization failed";
      Awaitility.await().atMost(SOON).until(() -> log(edge).contains(told));
      admin.createPartitions(Map.of(channels.get(2), NewPartitions.increaseTo(2))).all().get();
      String seen = "topic " + channels.get(2) + " has 2 partitions now";
      Awaitility.await().atMost(SOON).until(() -> log(edge).contains(seen));
    }
  }

  /** The log of this very process; those of former ones are in the same file. */
  private static String log(HoldfastProcess process) throws IOException {
    String all = Files.readString(process.log());
    return all.substring(all.lastIndexOf("--- pid "));
  }

  private void aRecordOfTheSourceArrives() throws Exception {
    URI uri = URI.create("ws://" + HOST + ":" + edgePort + "/v1/ws");
    try (KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", HOST + ":" + open),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        EdgeClient cy = EdgeClient.welcomed(uri, Map.of("clientId", "cy", "lastSeq", 0))) {
      producer.send(new ProducerRecord<>(SOURCE, new byte[] {'c', 'y'}, new byte[] {'1'})).get();
      assertThat(cy.await("message", SOON).path("from").asText()).isEqualTo(SOURCE);
    }
  }

  private void replays(String what) throws InterruptedException {
    HoldfastProcess replay =
        start("acl-replay", as("operator", "replay", what, "--from=-1h", "--dry-run"));
    assertThat(replay.awaitExit(READY)).as(replay.tail()).isZero();
    assertThat(replay.tail()).contains("would send 1 message of ");
  }

  private void refused(String user, Topics topic) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.<String, Object>of(
                "bootstrap.servers",
                HOST + ":" + guarded,
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                jaas(user),
                "enable.idempotence",
                "false"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      byte[] value = {1};
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic.topic(), value)).get())
          .as(user + " writes " + topic.topic())
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(TopicAuthorizationException.class);
    }
  }

  private HoldfastProcess start(String name, List<String> args) {
    HoldfastProcess process = HoldfastProcess.start(name, args);
    processes.add(process);
    return process;
  }

  private static String jaas(String user) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
        + user
        + "\" password=\""
        + user
        + "-pw\";";
  }

  private List<String> as(String user, String... command) {
    return Stream.concat(
            Stream.of(command),
            Stream.of(
                "--bootstrap",
                HOST + ":" + guarded,
                "--kafka.security.protocol=SASL_PLAINTEXT",
                "--kafka.sasl.mechanism=PLAIN",
                "--kafka.sasl.jaas.config=" + jaas(user)))
        .toList();
  }

  /** One listener for tools, whose users may do everything, and one that asks who it is. */
  private List<String> broker() {
    int controller = TestPorts.free();
    StringBuilder users =
        new StringBuilder("org.apache.kafka.common.security.plain.PlainLoginModule required");
    USERS.forEach(user -> users.append(" user_" + user + "=\"" + user + "-pw\""));
    String clients =
        "PLAINTEXT://" + HOST + ":" + open + ",SASL_PLAINTEXT://" + HOST + ":" + guarded;
    return List.of(
        "broker",
        "--port",
        String.valueOf(open),
        "--data",
        dir.resolve("broker").toString(),
        "--kafka.listeners=" + clients + ",CONTROLLER://" + HOST + ":" + controller,
        "--kafka.advertised.listeners=" + clients,
        "--kafka.controller.quorum.voters=1@" + HOST + ":" + controller,
        "--kafka.listener.security.protocol.map=PLAINTEXT:PLAINTEXT,"
            + "SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
        "--kafka.sasl.enabled.mechanisms=PLAIN",
        "--kafka.listener.name.sasl_plaintext.plain.sasl.jaas.config=" + users + ";",
        "--kafka.authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "--kafka.super.users=User:ANONYMOUS");
  }

  /** Runs what the page says, as it says it; returns how many commands that were. */
  private int runDocumentedCommands() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "operations.md")).replace("\\\n", " ");
    List<String> commands =
        page.lines().filter(line -> line.startsWith("./holdfast kafka acls ")).toList();
    Exit.setExitProcedure(
        (status, message) -> {
          throw new AssertionError("kafka acls ended with " + status + ": " + message);
        });
    try {
      for (String command : commands) {
        String[] words = command.replace("127.0.0.1:9092", HOST + ":" + open).split(" +");
        AclCommand.main(List.of(words).subList(3, words.length).toArray(String[]::new));
      }
    } finally {
      Exit.resetExitProcedure();
    }
    return commands.size();
  }
}
