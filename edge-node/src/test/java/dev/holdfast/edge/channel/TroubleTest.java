package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.edge.session.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One topic's trouble is nobody else's. */
class TroubleTest {
  private static final TopicPartition ONE = new TopicPartition("one", 0);
  private static final TopicPartition TWO = new TopicPartition("two", 0);
  private static final Set<TopicPartition> BOTH = Set.of(ONE, TWO);

  private final Trouble trouble = new Trouble();

  @Test
  @DisplayName("which partitions a failed read is about, and what is said")
  void about() {
    assertThat(trouble.of(new TopicAuthorizationException(Set.of("two", "three")), BOTH))
        .containsOnlyKeys(TWO)
        .containsEntry(TWO, "this edge may not read topic two");
    assertThat(trouble.of(new KafkaException("fetching the next record from one-0."), BOTH))
        .containsOnlyKeys(ONE);
    assertThat(trouble.of(new TimeoutException("no answer"), BOTH)).isEmpty();
  }

  @Test
  @DisplayName("who waits for a partition that cannot be read is told; others are read on")
  void apart() {
    ChannelLimits limits = ChannelLimits.DEFAULT;
    Places places = new Places(1_000);
    Rereads rereads =
        new Rereads(new Ten(), places, limits, new Room(1 << 20), new ChannelCounters());
    Answer one = ask(rereads, places, "one");
    Answer two = ask(rereads, places, "two");
    rereads.beginRounds(0);
    assertThat(rereads.wanted()).containsExactlyInAnyOrder(ONE, TWO);
    rereads.fail(TWO, "no");
    assertThat(two.told).containsExactly("no");
    assertThat(rereads.wanted()).containsExactly(ONE);
    rereads.progressed(ONE, 10, 0);
    rereads.finish();
    assertThat(one.told).containsExactly("0 events");
    assertThat(rereads.wanted()).isEmpty();
  }

  private static Answer ask(Rereads rereads, Places places, String topic) {
    Namespace namespace = Namespace.parse(topic);
    assertThat(places.found(topic, new Topic("topic-00", 1), 0)).isEqualTo(Places.Found.SAME);
    Place place = Objects.requireNonNull(places.known(namespace, "k"));
    Answer answer = new Answer();
    rereads.past(place, new ChannelName(topic, "k"), null, 100, 0, answer);
    return answer;
  }

  /** Logs with ten offsets. */
  private static final class Ten implements Rereads.Source {
    @Override
    public LogStart begin(TopicPartition partition) {
      return new LogStart(0, 0);
    }

    @Override
    public long end(TopicPartition partition) {
      return 10;
    }

    @Override
    public void seek(TopicPartition partition, long offset, int epoch) {}
  }

  private static final class Answer implements Channels.Past {
    private final List<String> told = new ArrayList<>();

    @Override
    public void events(List<byte[]> events, String position, boolean more, @Nullable String lost) {
      told.add(events.size() + " events");
    }

    @Override
    public void unavailable(String why) {
      told.add(why);
    }

    @Override
    public boolean gone() {
      return false;
    }
  }
}
