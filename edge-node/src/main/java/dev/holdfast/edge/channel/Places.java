package dev.holdfast.edge.channel;

import dev.holdfast.channel.Namespace;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Where channels lie: the topics as they were last looked at. Thread-safe. */
final class Places {
  private final Map<String, Topic> topics = new ConcurrentHashMap<>();
  private final int eventBytes;

  Places(int eventBytes) {
    this.eventBytes = eventBytes;
  }

  /** The place of a key; null when its topic was not looked at. */
  @Nullable Place known(Namespace namespace, String key) {
    Topic topic = topics.get(namespace.topic());
    if (topic == null) {
      return null;
    }
    return place(namespace, key, topic);
  }

  /** Whether a place's topic is still the same, as far as is known. */
  boolean current(Place place) {
    Topic topic = topics.get(place.namespace().topic());
    return topic != null && topic.tag().equals(place.topic());
  }

  /** The place of a key in a topic. */
  Place place(Namespace namespace, String key, Topic topic) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    int partition = KeyHashes.partition(namespace.keys(), bytes, topic.partitions());
    return new Place(namespace, topic.tag(), partition, eventBytes);
  }

  /** Whether a record lies where its key belongs. */
  boolean rightful(Place place, ConsumerRecord<byte[], byte[]> record) {
    Topic topic = topics.get(record.topic());
    return topic == null
        || KeyHashes.partition(place.namespace().keys(), record.key(), topic.partitions())
            == record.partition();
  }

  /** Partitions of a topic; 0 when it was not looked at. */
  int partitions(String topic) {
    Topic known = topics.get(topic);
    return known == null ? 0 : known.partitions();
  }

  /** Topics that were looked at. */
  Set<String> names() {
    return Set.copyOf(topics.keySet());
  }

  /** A topic was looked at; whether it was another one before. */
  boolean found(String name, Topic topic) {
    Topic before = topics.put(name, topic);
    return before != null && !before.equals(topic);
  }

  /** A topic is there no more; whether it was known. */
  boolean forget(String topic) {
    return topics.remove(topic) != null;
  }
}
