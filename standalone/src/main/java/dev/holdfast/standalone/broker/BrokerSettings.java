package dev.holdfast.standalone.broker;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/** The properties of the one-node broker: low latency, little memory, quick failover. */
final class BrokerSettings {
  static final int NODE_ID = 1;

  /** Of the topics in which the broker keeps groups and transactions. */
  static final int COORDINATOR_PARTITIONS = 8;

  private BrokerSettings() {}

  /**
   * @param afterCrash whether the last end was not in order
   */
  static Properties of(
      Path logDir,
      String host,
      int port,
      int controllerPort,
      boolean afterCrash,
      Map<String, String> extra) {
    Properties p = new Properties();
    p.putAll(node(logDir, host, port, controllerPort));
    p.putAll(SMALL);
    p.putAll(QUICK);
    if (afterCrash) {
      p.putAll(PATIENT);
    }
    p.putAll(extra);
    return p;
  }

  /**
   * The voters are given statically, so they are read from here at each start and nothing in the
   * data directory remembers the controller's port, which may change.
   */
  private static Map<String, String> node(Path logDir, String host, int port, int controllerPort) {
    return Map.of(
        "process.roles",
        "broker,controller",
        "node.id",
        String.valueOf(NODE_ID),
        "log.dirs",
        logDir.toString(),
        "listeners",
        "PLAINTEXT://" + host + ":" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
        "advertised.listeners",
        "PLAINTEXT://" + advertised(host) + ":" + port,
        "listener.security.protocol.map",
        "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names",
        "CONTROLLER",
        "inter.broker.listener.name",
        "PLAINTEXT",
        "controller.quorum.voters",
        NODE_ID + "@127.0.0.1:" + controllerPort);
  }

  /** Kafka refuses to advertise the any-address. */
  private static String advertised(String host) {
    return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
  }

  /**
   * One replica of everything, few partitions and threads; the cleaner's default buffer is 128 MB.
   */
  private static final Map<String, String> SMALL =
      Map.ofEntries(
          Map.entry("auto.create.topics.enable", "false"),
          Map.entry("default.replication.factor", "1"),
          Map.entry("min.insync.replicas", "1"),
          Map.entry("offsets.topic.replication.factor", "1"),
          Map.entry("offsets.topic.num.partitions", String.valueOf(COORDINATOR_PARTITIONS)),
          Map.entry("transaction.state.log.replication.factor", "1"),
          Map.entry("transaction.state.log.min.isr", "1"),
          Map.entry("transaction.state.log.num.partitions", String.valueOf(COORDINATOR_PARTITIONS)),
          Map.entry("share.coordinator.state.topic.replication.factor", "1"),
          Map.entry("share.coordinator.state.topic.min.isr", "1"),
          Map.entry("share.coordinator.state.topic.num.partitions", "2"),
          Map.entry("num.network.threads", "3"),
          Map.entry("num.io.threads", "4"),
          Map.entry("log.cleaner.threads", "1"),
          Map.entry("log.cleaner.dedupe.buffer.size", "4194304"));

  /**
   * Without the first, the first write after each commit of a transaction waits 20 ms; without the
   * second, a dead instance's open transaction blocks its successor's restore for 10 s. The session
   * of the broker with its own controller (9 s by default) is what a restart after a kill waits
   * for.
   */
  private static final Map<String, String> QUICK =
      Map.ofEntries(
          Map.entry("add.partitions.to.txn.retry.backoff.ms", "1"),
          Map.entry("transaction.abort.timed.out.transaction.cleanup.interval.ms", "500"),
          Map.entry("group.initial.rebalance.delay.ms", "0"),
          Map.entry("broker.session.timeout.ms", "2000"),
          Map.entry("broker.heartbeat.interval.ms", "250"),
          Map.entry("group.streams.initial.rebalance.delay.ms", "0"),
          Map.entry("group.streams.num.standby.replicas", "1"),
          Map.entry("group.streams.min.session.timeout.ms", "6000"),
          Map.entry("group.streams.session.timeout.ms", "6000"),
          Map.entry("group.streams.min.heartbeat.interval.ms", "1000"),
          Map.entry("group.streams.heartbeat.interval.ms", "1000"));

  /**
   * After a crash the broker counts as leader for about a second until it has registered anew, and
   * then as none for a moment. A transaction that its coordinator aborts just then gets no marker
   * where the leader is unknown ("likely deleted"), stays open for ever, and nobody reads past it.
   * So the coordinator first looks for timed-out transactions when that is over. Those that a
   * producer takes up again do not wait for it.
   */
  private static final Map<String, String> PATIENT =
      Map.of("transaction.abort.timed.out.transaction.cleanup.interval.ms", "5000");
}
