package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.record.Rules;
import dev.holdfast.topic.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
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
   */
  public record Finding(boolean refusal, String text) {}

  private final String bootstrap;
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
    rulesLog.writeWhereNew(Rules.defaults(partitions(Topics.EVENTS)));
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
    return ask(
        () ->
            admin
                .describeTopics(List.of(topic.topic()))
                .allTopicNames()
                .get()
                .values()
                .iterator()
                .next()
                .partitions()
                .size());
  }

  /** What is missing or set otherwise than it should be; refusals first. */
  public List<Finding> check() {
    List<Finding> findings = new ArrayList<>();
    Set<String> names = ask(() -> admin.listTopics().names().get());
    for (Topics topic : Topics.all()) {
      if (!names.contains(topic.topic())) {
        findings.add(
            new Finding(
                true, "topic " + topic.topic() + " is missing; run `holdfast topics init`"));
      }
    }
    if (!findings.isEmpty()) {
      return findings;
    }
    Rules rules = rulesOf();
    int partitions = partitions(Topics.EVENTS);
    if (rules.partitions() != partitions) {
      findings.add(
          new Finding(
              true,
              Topics.EVENTS.topic()
                  + " has "
                  + partitions
                  + " partitions, but was made with "
                  + rules.partitions()
                  + ": users would move away from their mailboxes. The count"
                  + " is for life"));
    }
    ask(
        () -> {
          new TopicSettings(admin).check(findings);
          return true;
        });
    return findings;
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

  /** Writes {@code rules} into every partition of the log; they hold from there on. */
  public void setRules(Rules rules) {
    int partitions = partitions(Topics.EVENTS);
    if (rules.partitions() != partitions) {
      throw new IllegalArgumentException("partitions cannot be changed: the count is for life");
    }
    rulesLog.writeEverywhere(rules);
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }

  /** Something that waits for Kafka. */
  private interface Question<T> {
    T ask() throws ExecutionException, InterruptedException;
  }

  private <T> T ask(Question<T> question) {
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
