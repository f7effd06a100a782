package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.topic.Topics;
import java.util.Map;
import org.apache.kafka.clients.admin.TopicDescription;
import org.jspecify.annotations.Nullable;

/**
 * What somebody asks of the topics. Null asks for nothing: what exists stays as it is, what is new
 * gets the default.
 *
 * @param partitions of events and presence
 * @param deliveryPartitions of deliveries
 * @param replication copies of each partition
 */
public record TopicsAsked(
    @Nullable Integer partitions,
    @Nullable Integer deliveryPartitions,
    @Nullable Integer replication) {

  /** For the topics that are made; presence has as many partitions as events. */
  TopicSizes sizes(Map<Topics, TopicDescription> existing) {
    TopicDescription events = existing.get(Topics.EVENTS);
    int log = events == null ? Topics.EVENTS.defaultPartitions() : events.partitions().size();
    return new TopicSizes(
        partitions == null ? log : partitions,
        deliveryPartitions == null ? Topics.DELIVERIES.defaultPartitions() : deliveryPartitions,
        replication == null ? 1 : replication);
  }

  /** What of it the topics that exist do not have, and what changes that. */
  void compare(Map<Topics, TopicDescription> existing, String bootstrap, Findings findings) {
    count(existing.get(Topics.EVENTS), partitions, findings);
    count(existing.get(Topics.PRESENCE), partitions, findings);
    deliveries(existing.get(Topics.DELIVERIES), bootstrap, findings);
    existing.values().forEach(topic -> copies(topic, bootstrap, findings));
  }

  private static void count(
      @Nullable TopicDescription topic, @Nullable Integer asked, Findings findings) {
    if (topic != null && asked != null && topic.partitions().size() != asked) {
      findings.has(
          true,
          topic.name(),
          has(topic)
              + ", not the "
              + asked
              + " of --partitions: the count is fixed for life, since users would move away from"
              + " their mailboxes; leave the option out, or say "
              + topic.partitions().size());
    }
  }

  /**
   * They may grow, but not by themselves: until streams has noticed, it would write what is meant
   * for a new partition to an old one.
   */
  private void deliveries(@Nullable TopicDescription topic, String bootstrap, Findings findings) {
    if (topic == null
        || deliveryPartitions == null
        || topic.partitions().size() == deliveryPartitions) {
      return;
    }
    boolean fewer = topic.partitions().size() > deliveryPartitions;
    findings.has(
        true,
        topic.name(),
        has(topic)
            + ", not the "
            + deliveryPartitions
            + " of --delivery-partitions: "
            + (fewer
                ? "Kafka takes none away; leave the option out, or say " + topic.partitions().size()
                : "add them with `./holdfast kafka topics --bootstrap-server "
                    + bootstrap
                    + " --alter --topic "
                    + topic.name()
                    + " --partitions "
                    + deliveryPartitions
                    + "`, and start no edge for the 5 minutes until streams knows of them"));
  }

  /** Fewer copies than asked for are not what was meant; more do no harm. */
  private void copies(TopicDescription topic, String bootstrap, Findings findings) {
    int found = InternalTopics.replicas(topic);
    if (replication != null && found != replication) {
      findings.has(
          found < replication,
          topic.name(),
          found
              + (found == 1 ? " replica" : " replicas")
              + " of each partition, not the "
              + replication
              + " of --replication, which counts for new topics only: change it with `./holdfast"
              + " kafka reassign-partitions --bootstrap-server "
              + bootstrap
              + " --reassignment-json-file FILE --execute` (docs/operations.md, Topics)");
    }
  }

  private static String has(TopicDescription topic) {
    int n = topic.partitions().size();
    return n + (n == 1 ? " partition" : " partitions");
  }
}
