package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.delivery.topology.TopicsAdmin.Finding;
import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.standalone.broker.EmbeddedBroker;
import dev.holdfast.standalone.broker.Ports;
import dev.holdfast.topic.Topics;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code topics check} finds on real brokers. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TopicsCheckTest {
  private static final String HOST = "127.0.0.1";
  private static final TopicSizes SIZES = new TopicSizes(2, 2, 1);
  private static final String ONE_REPLICA =
      "holdfast.events has one replica, on the only broker: a lost disk loses messages";

  @TempDir private Path dir = Path.of("");

  private static List<Finding> check(String bootstrap, Map<String, String> kafka, String protocol) {
    try (TopicsAdmin admin = new TopicsAdmin(bootstrap, kafka)) {
      return admin.check(protocol);
    }
  }

  private static List<String> texts(List<Finding> findings, boolean refusals) {
    return findings.stream().filter(f -> f.refusal() == refusals).map(Finding::text).toList();
  }

  private static void init(String bootstrap) {
    try (TopicsAdmin admin = new TopicsAdmin(bootstrap, Map.of())) {
      admin.init(SIZES);
    }
  }

  static void set(Admin admin, Topics topic, String name, String value) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.topic());
    AlterConfigOp set = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    admin.incrementalAlterConfigs(Map.of(resource, List.of(set))).all().get();
  }

  @Test
  void ourOwnBrokerCostsNothingButItsOneReplica() {
    try (EmbeddedBroker broker = new EmbeddedBroker(dir, HOST, 0, Map.of())) {
      broker.start();
      assertThat(texts(check(broker.bootstrap(), Map.of(), "classic"), true))
          .hasSize(Topics.all().size())
          .allMatch(text -> text.endsWith("is missing; run `holdfast topics init`"));
      init(broker.bootstrap());

      for (String protocol : List.of("classic", "streams")) {
        List<Finding> findings = check(broker.bootstrap(), Map.of(), protocol);
        assertThat(texts(findings, true)).isEmpty();
        assertThat(texts(findings, false)).singleElement().asString().startsWith(ONE_REPLICA);
      }
    }
  }

  @Test
  void settingsThatStreamsCannotRunWithAreRefused() throws Exception {
    Map<String, String> settings =
        Map.of(
            "transaction.max.timeout.ms", "2000",
            "group.min.session.timeout.ms", "10000",
            "offsets.topic.replication.factor", "3",
            "transaction.state.log.min.isr", "2",
            "default.replication.factor", "1");
    try (EmbeddedBroker broker = new EmbeddedBroker(dir, HOST, 0, settings);
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      broker.start();
      init(broker.bootstrap());
      set(admin, Topics.DELIVERIES, "min.insync.replicas", "2");
      set(admin, Topics.PRESENCE, "min.insync.replicas", "2");
      set(admin, Topics.EVENTS, "message.timestamp.type", "CreateTime");

      assertThat(texts(check(broker.bootstrap(), Map.of(), "classic"), true))
          .satisfiesExactlyInAnyOrder(
              t -> assertThat(t).startsWith("broker 1 has transaction.max.timeout.ms=2000: "),
              t -> assertThat(t).startsWith("broker 1 has group.min.session.timeout.ms=10000: "),
              t -> assertThat(t).contains("offsets.topic.replication.factor=3", "there is 1"),
              t ->
                  assertThat(t)
                      .startsWith("__transaction_state will have")
                      .contains("transaction.state.log.min.isr=2: nothing could be written"),
              t ->
                  assertThat(t)
                      .startsWith("holdfast.deliveries, holdfast.presence have 1 replica and")
                      .contains("min.insync.replicas=2: nothing can be written"),
              t -> assertThat(t).startsWith("holdfast.events has message.timestamp.type="));
      Map<String, String> fitting =
          Map.of("session.timeout.ms", "10000", "producer.transaction.timeout.ms", "2000");
      assertThat(texts(check(broker.bootstrap(), fitting, "classic"), true))
          .hasSize(4)
          .noneMatch(t -> t.contains("session") || t.contains("transaction.max"));
      assertThat(texts(check(broker.bootstrap(), Map.of(), "streams"), true))
          .hasSize(5)
          .noneMatch(t -> t.contains("session"));
    }
  }

  @Test
  void whatCostsSomethingIsSaidWithItsValue() throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "10000");
    settings.put("add.partitions.to.txn.retry.backoff.ms", "20");
    settings.put("unclean.leader.election.enable", "true");
    settings.put("message.max.bytes", "500000");
    settings.put("group.initial.rebalance.delay.ms", "3000");
    settings.put("group.streams.session.timeout.ms", "45000");
    settings.put("group.streams.heartbeat.interval.ms", "5000");
    settings.put("group.streams.num.standby.replicas", "0");
    settings.put("group.streams.initial.rebalance.delay.ms", "3000");
    try (EmbeddedBroker broker = new EmbeddedBroker(dir, HOST, 0, settings);
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      broker.start();
      init(broker.bootstrap());
      set(admin, Topics.DELIVERIES, "max.message.bytes", "1048576");
      set(admin, Topics.EVENTS, "retention.bytes", "1000000");

      List<Finding> classic = check(broker.bootstrap(), Map.of(), "classic");
      List<Finding> streams = check(broker.bootstrap(), Map.of(), "streams");

      assertThat(texts(classic, true)).isEmpty();
      assertThat(texts(streams, true)).isEmpty();
      for (String setting :
          List.of(
              "broker 1 has transaction.abort.timed.out.transaction.cleanup.interval.ms=10000: ",
              "broker 1 has add.partitions.to.txn.retry.backoff.ms=20: ",
              "broker 1, holdfast.dead-letters, holdfast.deliveries, holdfast.events,"
                  + " holdfast.presence, holdfast.rules have unclean.leader.election.enable=true: ",
              "broker 1 has message.max.bytes=500000: ",
              "holdfast.deliveries has max.message.bytes=1048576: ",
              "holdfast.events has retention.bytes=1000000: ")) {
        assertThat(texts(classic, false))
            .filteredOn(t -> t.startsWith(setting))
            .as(setting)
            .hasSize(1);
        assertThat(texts(streams, false))
            .filteredOn(t -> t.startsWith(setting))
            .as(setting)
            .hasSize(1);
      }
      assertThat(texts(classic, false))
          .anyMatch(t -> t.startsWith("broker 1 has group.initial.rebalance.delay.ms=3000: "))
          .noneMatch(t -> t.contains("group.streams"));
      assertThat(texts(streams, false))
          .filteredOn(t -> t.startsWith("broker 1 has group.streams."))
          .hasSize(4);
    }
  }

  @Test
  void everyBrokerIsAskedAndThoseThatDifferAreNamed() throws Exception {
    String address = HOST + ":" + Ports.free(HOST);
    int controller = Ports.free(HOST);
    Map<String, String> first =
        Map.of(
            "listeners", "PLAINTEXT://" + address + ",CONTROLLER://" + HOST + ":" + controller,
            "advertised.listeners", "PLAINTEXT://" + address,
            "controller.quorum.voters", "1@" + HOST + ":" + controller);
    try (EmbeddedBroker broker = new EmbeddedBroker(dir.resolve("1"), HOST, 0, first);
        Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
      broker.start();
      init(address);
      KafkaRaftServer second = second(admin.describeCluster().clusterId().get(), controller);
      try {
        second.startup();
        List<String> findings = texts(check(address, Map.of(), "classic"), false);

        assertThat(findings)
            .anyMatch(t -> t.startsWith("broker 2 has add.partitions.to.txn.retry.backoff.ms=20: "))
            .contains(
                "brokers differ in add.partitions.to.txn.retry.backoff.ms: 1 on broker 1; 20 on"
                    + " broker 2. Which one counts changes whenever leaders move; make them the"
                    + " same")
            .anyMatch(
                t ->
                    t.startsWith("holdfast.dead-letters, holdfast.deliveries, holdfast.presence")
                        && t.contains("have 1 replica: a lost disk loses what is in it"));
      } finally {
        second.shutdown();
        second.awaitShutdown();
      }
    }
  }

  /** A broker without controller, with Kafka's defaults. */
  private KafkaRaftServer second(String clusterId, int controller) throws Exception {
    String data = dir.resolve("2").toString();
    new Formatter()
        .setNodeId(2)
        .setClusterId(clusterId)
        .addDirectory(data)
        .setMetadataLogDirectory(data)
        .setControllerListenerName("CONTROLLER")
        .setReleaseVersion(MetadataVersion.latestProduction())
        .run();
    Properties p = new Properties();
    p.putAll(
        Map.of(
            "process.roles", "broker",
            "node.id", "2",
            "log.dirs", data,
            "listeners", "PLAINTEXT://" + HOST + ":" + Ports.free(HOST),
            "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names", "CONTROLLER",
            "controller.quorum.voters", "1@" + HOST + ":" + controller,
            "log.cleaner.dedupe.buffer.size", "4194304"));
    return new KafkaRaftServer(KafkaConfig.fromProps(p, false), Time.SYSTEM);
  }

  @Test
  void whatMayNotBeReadIsSaidToBeUnchecked() throws Exception {
    Map<String, String> settings =
        Map.of(
            "authorizer.class.name",
            "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "allow.everyone.if.no.acl.found",
            "true",
            "transaction.max.timeout.ms",
            "2000");
    try (EmbeddedBroker broker = new EmbeddedBroker(dir, HOST, 0, settings);
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      broker.start();
      init(broker.bootstrap());
      ResourcePattern cluster =
          new ResourcePattern(ResourceType.CLUSTER, "kafka-cluster", PatternType.LITERAL);
      ResourcePattern events =
          new ResourcePattern(ResourceType.TOPIC, Topics.EVENTS.topic(), PatternType.LITERAL);
      admin
          .createAcls(List.of(allow(cluster), allow(events), deny(cluster), deny(events)))
          .all()
          .get();

      List<Finding> findings = check(broker.bootstrap(), Map.of(), "classic");

      assertThat(texts(findings, true)).isEmpty();
      assertThat(texts(findings, false))
          .satisfiesExactlyInAnyOrder(
              t ->
                  assertThat(t)
                      .startsWith("the brokers' settings were not checked")
                      .contains("DescribeConfigs", "transaction.max.timeout.ms"),
              t -> assertThat(t).startsWith("holdfast.events has settings that were not checked"));
    }
  }

  private static AclBinding allow(ResourcePattern on) {
    return new AclBinding(
        on, new AccessControlEntry("User:*", "*", AclOperation.ALL, AclPermissionType.ALLOW));
  }

  private static AclBinding deny(ResourcePattern on) {
    return new AclBinding(
        on,
        new AccessControlEntry(
            "User:*", "*", AclOperation.DESCRIBE_CONFIGS, AclPermissionType.DENY));
  }
}
