package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channel.Namespace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One topic that cannot be looked at hides no other's change. */
class TopicWatchTest {
  private static final List<String> NAMES = List.of("one", "two", "three", "four", "five");

  private final Places places = new Places(1_000);
  private final Answers kafka = new Answers();
  private final List<String> told = new ArrayList<>();
  private long nowMs;
  private final TopicWatch watch = new TopicWatch(kafka, places, () -> nowMs, new Told());

  TopicWatchTest() {
    NAMES.forEach(name -> kafka.topics.put(name, new Topic("topic-00", 1)));
    NAMES.forEach(watch::look);
  }

  @Test
  @DisplayName("each that may be looked at is, wherever in the order the others stand")
  void othersAreSeen() {
    for (String hidden : NAMES) {
      kafka.failures.clear();
      kafka.failures.put(hidden, new TopicAuthorizationException(Set.of(hidden)));
      Set<String> others = new TreeSet<>(NAMES);
      others.remove(hidden);
      others.forEach(name -> kafka.topics.put(name, new Topic("anew-" + hidden, 1)));
      told.clear();
      look();
      assertThat(told).containsExactlyInAnyOrderElementsOf(others);
      kafka.topics.put(hidden, new Topic("anew-" + hidden, 1));
      kafka.failures.clear();
      look();
      assertThat(told).as("it may be looked at again").contains(hidden);
    }
  }

  @Test
  @DisplayName("when Kafka as a whole does not answer, nobody waits for it once for each topic")
  void silence() {
    NAMES.forEach(name -> kafka.failures.put(name, new TimeoutException("silent")));
    kafka.asked = 0;
    look();
    assertThat(kafka.asked).isEqualTo(1);
    kafka.failures.clear();
    kafka.topics.put("five", new Topic("topic-00", 2));
    look();
    assertThat(places.partitions("five")).isEqualTo(2);
    assertThat(places.known(Namespace.parse("five"), "k")).isNotNull();
  }

  @Test
  @DisplayName("about one there is never an answer: the others are looked at all the same")
  void oneTimesOut() {
    for (String dumb : NAMES) {
      kafka.failures.clear();
      kafka.failures.put(dumb, new TimeoutException("no answer"));
      Set<String> others = new TreeSet<>(NAMES);
      others.remove(dumb);
      others.forEach(name -> kafka.topics.put(name, new Topic("anew-" + dumb, 1)));
      told.clear();
      look();
      kafka.asked = 0;
      watch.lookAround(); // who has just waited in vain does not ask again at once
      assertThat(kafka.asked).isZero();
      look();
      assertThat(told).as("while %s is not answered about", dumb).containsAll(others);
      kafka.topics.put(dumb, new Topic("anew-" + dumb, 1));
    }
  }

  @Test
  @DisplayName("it is said which and what to do: at once, when more join, and once a minute")
  void saidSeldom() {
    Unseen unseen = new Unseen();
    Map<String, String> failed =
        new LinkedHashMap<>(Map.of("orders", "Topic authorization failed."));
    assertThat(unseen.line(Map.of(), 0)).isNull();
    assertThat(unseen.line(failed, 2_000))
        .contains("orders (Topic authorization failed.)", "Give this edge Describe and Read")
        .doesNotContain("more:");
    assertThat(unseen.line(failed, 4_000)).isNull();
    failed.put("quotes", "also not");
    assertThat(unseen.line(failed, 6_000)).contains("orders", "quotes");
    failed.remove("orders");
    assertThat(unseen.line(failed, 8_000)).isNull();
    assertThat(unseen.line(Map.of(), 10_000)).isNull();
    assertThat(unseen.line(failed, 12_000)).isNull();
    assertThat(unseen.line(failed, 6_000 + Unseen.AGAIN_MS)).contains("quotes");
    for (int i = 0; i < 30; i++) {
      failed.put("t" + i, "no");
    }
    assertThat(unseen.line(failed, 80_000)).contains("t0 (no)", "and 21 more").hasSizeLessThan(600);
  }

  private void look() {
    nowMs += 60_000;
    watch.lookAround();
  }

  /** What is known of topics, without a broker that would have to lose its rights each time. */
  private static final class Answers implements TopicWatch.Known {
    private final Map<String, Topic> topics = new LinkedHashMap<>();
    private final Map<String, KafkaException> failures = new LinkedHashMap<>();
    private int asked;

    @Override
    public @Nullable Topic topic(String name) {
      asked++;
      KafkaException failure = failures.get(name);
      if (failure != null) {
        throw failure;
      }
      return topics.get(name);
    }

    @Override
    public LogStart begin(TopicPartition partition) {
      return new LogStart(0, 0);
    }

    @Override
    public long end(TopicPartition partition) {
      return 0;
    }

    @Override
    public void close() {}
  }

  private final class Told implements TopicWatch.Changes {
    @Override
    public void another(String topic, @Nullable String gone) {
      told.add(topic);
    }

    @Override
    public void grown(String topic) {
      told.add(topic);
    }
  }
}
