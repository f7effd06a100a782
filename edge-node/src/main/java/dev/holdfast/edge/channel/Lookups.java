package dev.holdfast.edge.channel;

import dev.holdfast.channel.Namespace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Questions about topics and the ends of logs, which may have to wait for Kafka. They are gathered:
 * however many wait to know about a topic or a partition's end, it is asked for once. One thread.
 */
final class Lookups {
  private static final Logger LOG = LoggerFactory.getLogger(Lookups.class);

  private record AtEnd(Subscription subscription, Feed feed) {}

  private final TopicWatch topics;
  private final Places places;
  private final Map<String, List<Subscription>> locating = new LinkedHashMap<>();
  private final Map<TopicPartition, List<AtEnd>> ends = new HashMap<>();

  Lookups(TopicWatch topics, Places places) {
    this.topics = topics;
    this.places = places;
  }

  /** See {@link Replay#locate}. */
  void locate(Subscription s) {
    locating.computeIfAbsent(s.namespace().topic(), topic -> new ArrayList<>()).add(s);
  }

  /** See {@link Replay#checkEnd}. */
  void checkEnd(Subscription s, Feed feed) {
    ends.computeIfAbsent(feed.place().log(), log -> new ArrayList<>()).add(new AtEnd(s, feed));
  }

  /** Looks a topic up ahead of its first use. */
  void prime(Namespace namespace) {
    String topic = namespace.topic();
    if (places.partitions(topic) > 0) {
      return;
    }
    try {
      if (topics.look(topic) == null) {
        LOG.atWarn().log("namespace {}: {}", namespace.prefix(), TopicWatch.missing(topic));
      }
    } catch (KafkaException e) {
      LOG.atWarn().log("namespace {}: {}", namespace.prefix(), Reasons.noAnswer(e));
    }
  }

  /** Asks Kafka, and answers all who wait. */
  void answer(Live live) {
    for (String topic : List.copyOf(locating.keySet())) {
      answer(topic, live);
    }
    for (TopicPartition log : List.copyOf(ends.keySet())) {
      answer(log, live);
    }
  }

  private void answer(String topic, Live live) {
    String why = TopicWatch.missing(topic);
    Topic found = null;
    try {
      found = topics.look(topic);
    } catch (KafkaException e) {
      why = Reasons.noAnswer(e);
    }
    List<Subscription> those = locating.remove(topic);
    for (Subscription s : those == null ? List.<Subscription>of() : those) {
      Place place = places.known(s.namespace(), s.key());
      if (found == null || place == null) {
        s.refuse(why);
      } else {
        live.located(s, place);
      }
    }
  }

  private void answer(TopicPartition log, Live live) {
    List<AtEnd> removed = ends.remove(log);
    List<AtEnd> those = removed == null ? List.of() : removed;
    try {
      long end = topics.end(log);
      those.forEach(one -> live.ahead(one.subscription, one.feed, one.subscription.next() <= end));
    } catch (KafkaException e) {
      those.forEach(one -> one.subscription.refuse(Reasons.noAnswer(e)));
    }
  }
}
