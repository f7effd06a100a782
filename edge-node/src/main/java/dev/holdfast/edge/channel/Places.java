package dev.holdfast.edge.channel;

import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.channel.Position;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Where channels lie: the topics as they were last looked at. Thread-safe, but for {@link #found}.
 *
 * <p>When a topic gets more partitions, no two edges notice at the same moment. So whoever
 * publishes goes to the new partition at once, and whoever is subscribed stays in the old one for
 * {@link #GRACE_MS} more. When he leaves it, no edge writes there any more ({@link
 * ChannelPublisher}), and what came to the new one meanwhile he is told to read from the history,
 * which goes on there by itself ({@link #before}). A topic that gets more of them again meanwhile
 * moves its subscribers once more, each time after its own wait: what was acknowledged between the
 * two lies where they were led to first.
 *
 * <p>A topic that is seen for the first time may just have grown, for all that Kafka tells, and
 * others still write where its channels were. So who comes with a position from there has to wait
 * as long ({@link #unsettled}).
 */
final class Places {
  /**
   * Milliseconds that subscribers stay in a partition which a topic's growth takes their channels
   * out of. Longer than what a publisher knows may be old, {@link ChannelPublisher#KNOWN_MS}.
   */
  static final long GRACE_MS = 10_000;

  /** What a look at a topic shows. */
  enum Found {
    /** It is what it was. */
    SAME,
    /** It has more partitions; who follows it stays where he is for now. */
    GROWS,
    /** It got more partitions a while ago: who follows it moves. */
    GROWN,
    /** It was made anew. */
    ANOTHER
  }

  /** How often a topic may have grown and still be known as it was before each time. */
  private static final int STAGES = 16;

  /** A topic that has grown: what subscribers follow for now, and until when. */
  private record Grown(Topic before, long untilMs) {}

  private final Map<String, Topic> topics = new ConcurrentHashMap<>();

  /** Those that subscribers have not followed yet, oldest first; none where they have. */
  private final Map<String, List<Grown>> grown = new ConcurrentHashMap<>();

  /** Numbers of partitions that a topic was seen with, oldest first, this one last. */
  private final Map<String, List<Integer>> stages = new ConcurrentHashMap<>();

  /** Until when a topic may have grown before it was first seen, in monotonic milliseconds. */
  private final Map<String, Long> youngUntilMs = new ConcurrentHashMap<>();

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

  /** The place where a key is followed; null when its topic was not looked at. */
  @Nullable Place known(Namespace namespace, String key) {
    Topic topic = followed(namespace.topic());
    return topic == null ? null : place(namespace, key, topic);
  }

  /** The place to which a key is written; null when its topic was not looked at. */
  @Nullable Place newest(Namespace namespace, String key) {
    Topic topic = topics.get(namespace.topic());
    return topic == null ? null : place(namespace, key, topic);
  }

  /**
   * The place where a channel was when its topic had fewer partitions.
   *
   * @param partition where a position says that it was
   * @return null when it was in none of them
   */
  @Nullable Place before(Place now, String topic, int partition) {
    boolean other = partition != now.partition() && topic.equals(now.topic());
    return other && partition < partitions(now.namespace().topic())
        ? new Place(now.namespace(), topic, partition, eventBytes)
        : null;
  }

  /**
   * Whether others may still write to a partition that a channel has left, so that nobody can be
   * led on from a position there yet. In mode {@code latest} nobody is: what lies there is over.
   *
   * @param now where the channel lies
   * @param from where its client stands; null: nowhere
   * @param nowMs monotonic milliseconds
   */
  boolean unsettled(Place now, @Nullable Position from, long nowMs) {
    return from != null
        && now.namespace().mode() == Mode.STREAM
        && from.topic().equals(now.topic())
        && from.partition() != now.partition()
        && nowMs < youngUntilMs.getOrDefault(now.namespace().topic(), Long.MIN_VALUE);
  }

  /**
   * The place to which a channel went when it left one, as far as its topic was seen to grow.
   *
   * @param now where it is written to
   * @param left where it was before
   */
  Place onward(Place now, Place left, String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    boolean there = false;
    for (int partitions : stages.getOrDefault(now.namespace().topic(), List.of())) {
      int partition = KeyHashes.partition(now.namespace().keys(), bytes, partitions);
      if (there && partition != left.partition()) {
        return new Place(now.namespace(), now.topic(), partition, eventBytes);
      }
      there |= partition == left.partition();
    }
    return now;
  }

  private @Nullable Topic followed(String name) {
    List<Grown> waits = grown.get(name);
    return waits == null ? topics.get(name) : waits.get(0).before();
  }

  /** Whether a place's topic is still the same, as far as is known. */
  boolean current(Place place) {
    Topic topic = topics.get(place.namespace().topic());
    return topic != null && topic.tag().equals(place.topic());
  }

  private Place place(Namespace namespace, String key, Topic topic) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    int partition = KeyHashes.partition(namespace.keys(), bytes, topic.partitions());
    return new Place(namespace, topic.tag(), partition, eventBytes);
  }

  /** Whether a record lies where its key belongs, or belonged a moment ago. */
  boolean rightful(Place place, ConsumerRecord<byte[], byte[]> record) {
    Topic topic = topics.get(record.topic());
    if (topic == null || lies(place, record, topic)) {
      return true;
    }
    for (Grown each : grown.getOrDefault(record.topic(), List.of())) {
      if (lies(place, record, each.before())) {
        return true;
      }
    }
    return false;
  }

  private static boolean lies(Place place, ConsumerRecord<byte[], byte[]> record, Topic topic) {
    return KeyHashes.partition(place.namespace().keys(), record.key(), topic.partitions())
        == record.partition();
  }

  /** Partitions that a topic's events are written to; 0 when it was not looked at. */
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

  /**
   * A topic was looked at. One thread.
   *
   * @param nowMs monotonic milliseconds
   */
  Found found(String name, Topic topic, long nowMs) {
    Topic before = topics.get(name);
    missing.remove(name);
    if (before == null || !before.tag().equals(topic.tag())) {
      grown.remove(name);
      stages.put(name, List.of(topic.partitions()));
      youngUntilMs.put(name, nowMs + GRACE_MS);
      topics.put(name, topic);
      if (before == null) {
        return Found.SAME;
      }
      gone.accept(name);
      return Found.ANOTHER;
    }
    // Topics do not shrink: a broker that says so is late.
    if (topic.partitions() > before.partitions()) {
      grown.merge(name, List.of(new Grown(before, nowMs + GRACE_MS)), Places::joined);
      stages.merge(name, List.of(topic.partitions()), Places::joined);
      topics.put(name, topic);
      return Found.GROWS;
    }
    List<Grown> waits = grown.get(name);
    if (waits == null || nowMs < waits.get(0).untilMs()) {
      return Found.SAME;
    }
    if (waits.size() == 1) {
      grown.remove(name);
    } else {
      grown.put(name, List.copyOf(waits.subList(1, waits.size())));
    }
    return Found.GROWN;
  }

  private static <T> List<T> joined(List<T> former, List<T> next) {
    List<T> all = new ArrayList<>(former.subList(former.size() / STAGES, former.size()));
    all.addAll(next);
    return List.copyOf(all);
  }

  /** A topic is not there; whether it was known. */
  boolean forget(String topic) {
    missing.add(topic);
    grown.remove(topic);
    stages.remove(topic);
    youngUntilMs.remove(topic);
    boolean known = topics.remove(topic) != null;
    gone.accept(topic); // also what was sent while it was being forgotten
    return known;
  }
}
