package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.record.Rules;
import dev.holdfast.topic.Topics;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.TopicExistsException;

/** Makes, checks and describes what lies in Kafka; for operators and for each start. */
public final class TopicsAdmin implements AutoCloseable {
  /**
   * How the topics are laid out.
   *
   * @param partitions of events and presence; for life
   * @param deliveryPartitions of deliveries; may grow
   * @param replication copies of each partition; -1 leaves it to the broker
   */
  public record TopicSizes(int partitions, int deliveryPartitions, int replication) {}

  /**
   * Something a check found.
   *
   * @param refusal whether nothing may start like this
   * @param trial whether it is as it should be for who tries things out on one machine
   */
  public record Finding(boolean refusal, boolean trial, String text) {}

  /** The feature of a cluster that the streams group protocol is behind. */
  private static final String STREAMS_GROUPS = "streams.version";

  /** Within which every broker has heard of a topic; as long as Kafka's own answers may take. */
  private static final Duration HEARD_OF = Duration.ofSeconds(30);

  private final String bootstrap;
  private final Map<String, String> kafka;
  private final Admin admin;
  private final RulesLog rulesLog;

  /**
   * @param kafka further client properties
   */
  public TopicsAdmin(String bootstrap, Map<String, String> kafka) {
    Map<String, Object> props = new HashMap<>(kafka);
    props.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    props.putIfAbsent(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "30000");
    props.putIfAbsent(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "1000");
    this.bootstrap = bootstrap;
    this.kafka = Map.copyOf(kafka);
    this.admin = Admin.create(props);
    this.rulesLog = new RulesLog(bootstrap, kafka);
  }

  /** Waits until a broker answers; {@link StartRefused} when none does. */
  public void awaitBroker(Duration patience) {
    try {
      long until = System.nanoTime() + patience.toNanos();
      while (true) {
        try {
          long left = Math.max(1, until - System.nanoTime());
          admin
              .describeCluster()
              .nodes()
              .get(Math.min(left, TimeUnit.SECONDS.toNanos(5)), TimeUnit.NANOSECONDS);
          return;
        } catch (ExecutionException | TimeoutException e) {
          if (System.nanoTime() > until) {
            throw new StartRefused(
                "no Kafka broker answers at "
                    + bootstrap
                    + "; is it running, and is the address"
                    + " right?",
                e);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefused("interrupted while waiting for Kafka", e);
    }
  }

  /** Makes what is missing; what exists stays as it is. */
  public void init(TopicSizes sizes) {
    for (Topics topic : Topics.all()) {
      int partitions =
          switch (topic) {
            case EVENTS, PRESENCE -> sizes.partitions();
            case DELIVERIES -> sizes.deliveryPartitions();
            case DEAD_LETTERS, RULES -> topic.defaultPartitions();
          };
      create(topic, partitions, (short) sizes.replication());
    }
    rulesLog.writeWhereNew(Rules.defaults(describe(Topics.EVENTS).partitions().size()));
  }

  /**
   * The same, unless what exists is not as asked.
   *
   * @return what is not; with a refusal among it nothing was made
   */
  public List<Finding> init(TopicsAsked asked) {
    Map<Topics, TopicDescription> existing = existing();
    Findings findings = new Findings();
    asked.compare(existing, bootstrap, findings);
    List<Finding> found = findings.list();
    if (found.stream().noneMatch(Finding::refusal)) {
      init(asked.sizes(existing));
    }
    return found;
  }

  private Map<Topics, TopicDescription> existing() {
    Set<String> names = ask(() -> admin.listTopics().names().get());
    Map<Topics, TopicDescription> existing = new EnumMap<>(Topics.class);
    for (Topics topic : Topics.all()) {
      if (names.contains(topic.topic())) {
        existing.put(topic, describe(topic));
      }
    }
    return existing;
  }

  private void create(Topics topic, int partitions, short replication) {
    NewTopic wanted = new NewTopic(topic.topic(), partitions, replication).configs(topic.config());
    try {
      admin.createTopics(List.of(wanted)).all().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw new StartRefused("topic " + topic.topic() + ": " + StartRefused.said(e), e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefused("interrupted while making topics", e);
    }
  }

  private int partitions(Topics topic) {
    return ask(() -> described(topic)).partitions().size();
  }

  /** Of a topic that is there, as was just seen elsewhere. */
  private TopicDescription describe(Topics topic) {
    return ask(() -> JustMade.ask(() -> described(topic), HEARD_OF));
  }

  private TopicDescription described(Topics topic) throws ExecutionException, InterruptedException {
    List<String> one = List.of(topic.topic());
    return admin.describeTopics(one).allTopicNames().get().values().iterator().next();
  }

  /**
   * What is missing, or set so that it costs something; refusals first. What may not be asked is
   * said to be unchecked.
   *
   * @param groupProtocol {@code classic} or {@code streams}
   */
  public List<Finding> check(String groupProtocol) {
    StreamsSettings.Asked asked = StreamsSettings.Asked.of(kafka);
    Findings findings = new Findings();
    Collection<Node> brokers = ask(() -> admin.describeCluster().nodes().get());
    Set<String> names = ask(() -> admin.listTopics().names().get());
    List<Topics> missing =
        Topics.all().stream().filter(topic -> !names.contains(topic.topic())).toList();
    missing.forEach(
        topic ->
            findings.add(
                true, "topic " + topic.topic() + " is missing; run `holdfast topics init`"));
    if (missing.isEmpty()) {
      Rules rules = rulesOf();
      checkPartitions(rules, findings);
      Retention retention = new Retention(rules, bootstrap);
      ask(() -> done(() -> new TopicSettings(admin, brokers.size(), retention, findings).check()));
    }
    ask(() -> done(() -> checkBrokers(asked, groupProtocol, brokers, findings)));
    return findings.list();
  }

  private void checkPartitions(Rules rules, Findings findings) {
    int partitions = partitions(Topics.EVENTS);
    if (rules.partitions() != partitions) {
      findings.add(
          true,
          Topics.EVENTS.topic()
              + " has "
              + partitions
              + " partitions, but was made with "
              + rules.partitions()
              + ": users would move away from their mailboxes. The count is for life");
    }
  }

  private void checkBrokers(
      StreamsSettings.Asked asked, String protocol, Collection<Node> brokers, Findings findings)
      throws ExecutionException, InterruptedException {
    BrokerChecks checks = new BrokerChecks(asked, protocol, brokers.size());
    BrokerConfigs configs = BrokerConfigs.ask(admin, brokers, checks.settings(), findings);
    checks.run(configs, findings);
    new InternalTopics(admin, configs, brokers.size(), findings).check(asked.changelogCopies());
    if (protocol.equals("streams")) {
      FinalizedVersionRange offered =
          admin.describeFeatures().featureMetadata().get().finalizedFeatures().get(STREAMS_GROUPS);
      if (offered == null || offered.maxVersionLevel() < 1) {
        findings.add(
            true,
            "the cluster has "
                + STREAMS_GROUPS
                + "=0: it has no groups of the streams protocol; use --group-protocol classic, or"
                + " `holdfast kafka features upgrade --feature "
                + STREAMS_GROUPS
                + "=1`");
      }
    }
  }

  /** The newest rules that were written. */
  public Rules rulesOf() {
    return rulesLog
        .newest()
        .orElseThrow(
            () ->
                new StartRefused(
                    "topic " + Topics.RULES.topic() + " is empty; run `holdfast topics init`"));
  }

  /**
   * Writes {@code rules} into every partition of the log; they hold from there on.
   *
   * @throws IllegalArgumentException for rules that this log cannot carry
   */
  public void setRules(Rules rules) {
    int partitions = partitions(Topics.EVENTS);
    if (rules.partitions() != partitions) {
      throw new IllegalArgumentException("partitions cannot be changed: the count is for life");
    }
    ask(() -> Retention.keptMs(admin))
        .ifPresent(kept -> new Retention(rules, bootstrap).refuseBeyond(kept, rulesOf()));
    rulesLog.writeEverywhere(rules);
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }

  /** A question whose answer went elsewhere. */
  private interface Errand {
    void run() throws ExecutionException, InterruptedException;
  }

  private static boolean done(Errand errand) throws ExecutionException, InterruptedException {
    errand.run();
    return true;
  }

  private <T> T ask(JustMade.Question<T> question) {
    try {
      return question.ask();
    } catch (ExecutionException e) {
      throw new StartRefused("Kafka at " + bootstrap + ": " + StartRefused.said(e), e);
    } catch (KafkaException e) {
      throw new StartRefused("Kafka at " + bootstrap + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefused("interrupted while asking Kafka", e);
    }
  }
}
