package dev.holdfast.delivery.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * What brokers' settings cost delivery. Some cannot be changed where Kafka is managed by others;
 * then the finding says what to live with. {@code auto.create.topics.enable} does not matter: all
 * topics are made by {@code topics init} or by Kafka Streams.
 */
final class BrokerChecks {
  static final String UNCLEAN = "unclean.leader.election.enable";

  /** A death should not be noticed much later than with the classic protocol's 6 s session. */
  private static final int STREAMS_SESSION_MS = StreamsSettings.SESSION_TIMEOUT_MS;

  private static final int STREAMS_HEARTBEAT_MS = StreamsSettings.HEARTBEAT_INTERVAL_MS;

  /** One broker's own leaders come late after a kill; see docs/operations.md, Failover. */
  private static final int SINGLE_BROKER_CLEANUP_MS = 5_000;

  private static final int CLEANUP_MS = 1_000;

  /**
   * @param bad whether a value of the setting is to be told
   * @param cost what that value does, and what to do about it
   */
  private record Check(String setting, LongPredicate bad, boolean refusal, String cost) {}

  private final List<Check> checks = new ArrayList<>();

  /**
   * @param groupProtocol {@code classic} or {@code streams}
   * @param brokers how many there are
   */
  BrokerChecks(StreamsSettings.Asked asked, String groupProtocol, int brokers) {
    transactions(asked.transactionTimeoutMs(), brokers);
    if (groupProtocol.equals("streams")) {
      streamsGroups();
    } else {
      classicGroups(asked.sessionTimeoutMs());
    }
    warn(
        "message.max.bytes",
        v -> v < 1 << 20,
        "topics that do not say otherwise, Kafka's own among them, take no larger record, and a"
            + " group's description may need more; set it to 1048588, Kafka's default, or more");
  }

  private void transactions(int timeoutMs, int brokers) {
    refuse(
        "transaction.max.timeout.ms",
        v -> v < timeoutMs,
        "streams asks for transactions of up to "
            + timeoutMs
            + " ms and could not begin one; set it to "
            + timeoutMs
            + " or more, or give streams a smaller --kafka.transaction.timeout.ms");
    int most = brokers == 1 ? SINGLE_BROKER_CLEANUP_MS : CLEANUP_MS;
    warn(
        "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        v -> v > most,
        "after a streams instance dies, its open transaction blocks the successor for up to that"
            + " many ms more; set it to "
            + (brokers == 1 ? SINGLE_BROKER_CLEANUP_MS : 500)
            + ". Where it cannot be changed, a hot pair (--replica a and b) has no such gap");
    warn(
        "add.partitions.to.txn.retry.backoff.ms",
        v -> v > 2,
        "the first deliveries after each commit, ten times a second, wait up to that many ms; set"
            + " it to 1. Where it cannot be changed, --kafka.commit.interval.ms=1000 makes it rarer,"
            + " for more repeats after a crash");
  }

  private void classicGroups(int sessionMs) {
    String choose =
        ", or give streams --kafka.session.timeout.ms within the brokers' bounds (a dead instance"
            + " is noticed after that time)";
    refuse(
        "group.min.session.timeout.ms",
        v -> v > sessionMs,
        "streams asks for a session of "
            + sessionMs
            + " ms and could not join its group; set it to "
            + sessionMs
            + choose);
    refuse(
        "group.max.session.timeout.ms",
        v -> v < sessionMs,
        "streams asks for a session of "
            + sessionMs
            + " ms and could not join its group; set it to "
            + sessionMs
            + " or more"
            + choose);
    warn("group.initial.rebalance.delay.ms", v -> v > 500, FIRST_START);
  }

  private static final String FIRST_START =
      "an application that starts while no other instance of it runs waits that many ms; set it to"
          + " 0";

  private void streamsGroups() {
    warn(
        "group.streams.session.timeout.ms",
        v -> v > STREAMS_SESSION_MS,
        "a dead streams instance is noticed only after that many ms; set it and"
            + " group.streams.min.session.timeout.ms to "
            + STREAMS_SESSION_MS
            + ". Where they cannot be changed, use --group-protocol classic");
    warn(
        "group.streams.heartbeat.interval.ms",
        v -> v > STREAMS_HEARTBEAT_MS,
        "work moves between instances only at heartbeats, so that each move takes up to that many"
            + " ms longer; set it and group.streams.min.heartbeat.interval.ms to 1000");
    warn(
        "group.streams.num.standby.replicas",
        v -> v < 1,
        "no instance keeps a copy of another's stores, so that a successor first reads their whole"
            + " changelog; set it to 1, unless only one instance will ever run");
    warn("group.streams.initial.rebalance.delay.ms", v -> v > 500, FIRST_START);
  }

  private void refuse(String setting, LongPredicate bad, String cost) {
    checks.add(new Check(setting, bad, true, cost));
  }

  private void warn(String setting, LongPredicate bad, String cost) {
    checks.add(new Check(setting, bad, false, cost));
  }

  /** The settings that are looked at, in their order. */
  List<String> settings() {
    List<String> names = new ArrayList<>(checks.stream().map(Check::setting).toList());
    names.add(UNCLEAN);
    names.addAll(InternalTopics.SETTINGS);
    return names;
  }

  void run(BrokerConfigs brokers, Findings findings) {
    for (Check check : checks) {
      brokers.forEach(
          check.setting(),
          (broker, value) -> {
            if (check.bad().test(Long.parseLong(value))) {
              findings.has(
                  check.refusal(), broker, check.setting() + "=" + value + ": " + check.cost());
            }
          });
    }
    brokers.forEach(
        UNCLEAN,
        (broker, value) -> {
          if (value.equals("true")) {
            findings.has(false, broker, uncleanElection());
          }
        });
    brokers.disagreements(settings(), findings);
  }

  /** Of brokers and topics alike. */
  static String uncleanElection() {
    return UNCLEAN
        + "=true: what was acknowledged may be lost, and numbers be given twice, when brokers die;"
        + " set it to false";
  }
}
