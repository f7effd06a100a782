package dev.holdfast.edge.channel;

import dev.holdfast.channel.Namespace;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Where channels lie: the topics as they were last looked at. Thread-safe. */
final class Places {
  private final Map<String, Topic> topics = new ConcurrentHashMap<>();
  private final Set<String> missing = ConcurrentHashMap.newKeySet();
  private final int eventBytes;
  private volatile Consumer<String> gone = topic -> {};

  Places(int eventBytes) {
    this.eventBytes = eventBytes;
  }

  /**
   * Who is to know that a topic is gone.
   *
   * @param whom told its name, on the thread that looked at it
   */
  void onGone(Consumer<String> whom) {
    gone = whom;
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

  /** Whether there was no such topic when it was looked for. */
  boolean missing(String topic) {
    return missing.contains(topic);
  }

  /** A topic that was not there is looked for again; until that is answered nobody knows. */
  void unknown(String topic) {
    missing.remove(topic);
  }

  /** Topics that were looked at, those that are not there too: they may come. */
  Set<String> names() {
    Set<String> names = new HashSet<>(topics.keySet());
    names.addAll(missing);
    return names;
  }

  /** A topic was looked at; whether it was another one before. */
  boolean found(String name, Topic topic) {
    Topic before = topics.put(name, topic);
    missing.remove(name);
    return before != null && !before.equals(topic);
  }

  /** A topic is not there; whether it was known. */
  boolean forget(String topic) {
    missing.add(topic);
    boolean known = topics.remove(topic) != null;
    if (known) {
      gone.accept(topic);
    }
    return known;
  }
}
