package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.channel.Places.Found;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PlacesTest {
  private static final Namespace ROOMS = Namespace.parse("rooms:publish=clients");
  private static final Topic TWO = new Topic("topic-00", 2);
  private static final Topic SEVEN = new Topic("topic-00", 7);

  private final Places places = new Places(1_000);

  private Place known(String key) {
    return Objects.requireNonNull(places.known(ROOMS, key));
  }

  private Place newest(String key) {
    return Objects.requireNonNull(places.newest(ROOMS, key));
  }

  private String moving() {
    Places after = new Places(1_000);
    assertThat(after.found("rooms", SEVEN, 0)).isEqualTo(Found.SAME);
    for (int i = 0; ; i++) {
      if (!known("k" + i).equals(after.known(ROOMS, "k" + i))) {
        return "k" + i;
      }
    }
  }

  @Test
  @DisplayName("a topic that was deleted is told, one that was made anew too, and again when asked")
  void gone() {
    List<String> gone = new ArrayList<>();
    places.onGone(gone::add);
    places.found("rooms", TWO, 0);
    places.found("rooms", SEVEN, 1);
    assertThat(gone).isEmpty();
    assertThat(places.found("rooms", new Topic("topic-01", 2), 2)).isEqualTo(Found.ANOTHER);
    assertThat(gone).containsExactly("rooms");
    assertThat(places.forget("rooms")).isTrue();
    assertThat(places.forget("rooms")).isFalse();
    assertThat(gone).containsExactly("rooms", "rooms", "rooms");
  }

  @Test
  @DisplayName("more partitions: who publishes goes at once, who is subscribed after a while")
  void grown() {
    assertThat(places.found("rooms", TWO, 0)).isEqualTo(Found.SAME);
    String key = moving();
    Place before = known(key);
    assertThat(places.found("rooms", SEVEN, 100)).isEqualTo(Found.GROWS);
    assertThat(places.partitions("rooms")).isEqualTo(7);
    assertThat(known(key)).isEqualTo(before);
    assertThat(newest(key)).isNotEqualTo(before);
    assertThat(places.rightful(before, record(key, before.partition()))).isTrue();
    assertThat(places.rightful(before, record(key, newest(key).partition()))).isTrue();
    assertThat(places.before(newest(key), "topic-00", before.partition())).isEqualTo(before);

    assertThat(places.found("rooms", SEVEN, 99 + Places.GRACE_MS)).isEqualTo(Found.SAME);
    assertThat(places.found("rooms", SEVEN, 100 + Places.GRACE_MS)).isEqualTo(Found.GROWN);
    assertThat(known(key)).isEqualTo(newest(key));
    assertThat(places.rightful(before, record(key, before.partition()))).isFalse();
    assertThat(places.found("rooms", SEVEN, 200 + Places.GRACE_MS)).isEqualTo(Found.SAME);
  }

  @Test
  @DisplayName("seen for the first time: nobody is led on from where it was until others have left")
  void young() {
    places.found("rooms", TWO, 0);
    String key = moving();
    int left = known(key).partition();
    Places late = new Places(1_000);
    late.found("rooms", SEVEN, 100);
    Place now = Objects.requireNonNull(late.known(ROOMS, key));
    Position from = new Position("topic-00", left, 3, 0);
    assertThat(late.unsettled(now, from, 99 + Places.GRACE_MS)).isTrue();
    assertThat(late.unsettled(now, from, 100 + Places.GRACE_MS)).isFalse();
    Position same = new Position("topic-00", now.partition(), 3, 0);
    assertThat(late.unsettled(now, same, 100)).isFalse();
    assertThat(late.unsettled(now, new Position("topic-01", left, 3, 0), 100)).isFalse();
    assertThat(late.unsettled(now, null, 100)).isFalse();
    Place latest = Objects.requireNonNull(late.known(Namespace.parse("rooms:mode=latest"), key));
    assertThat(late.unsettled(latest, from, 100)).isFalse();
    // Who has seen it grow keeps his subscribers back himself.
    assertThat(places.found("rooms", SEVEN, 20_000)).isEqualTo(Found.GROWS);
    assertThat(places.unsettled(now, from, 20_000)).isFalse();
  }

  @Test
  @DisplayName("more partitions twice in a row: who is subscribed goes where each time led")
  void grownTwice() {
    Topic three = new Topic("topic-00", 3);
    places.found("rooms", TWO, 0);
    String key = "k0";
    Places middle = new Places(1_000);
    middle.found("rooms", three, 0);
    Places last = new Places(1_000);
    last.found("rooms", SEVEN, 0);
    for (int i = 1;
        known(key).equals(middle.known(ROOMS, key))
            || Objects.requireNonNull(last.newest(ROOMS, key)).partition() < 3;
        i++) {
      key = "k" + i;
    }
    Place first = known(key);
    Place second = Objects.requireNonNull(middle.known(ROOMS, key));
    assertThat(places.found("rooms", three, 0)).isEqualTo(Found.GROWS);
    assertThat(places.found("rooms", SEVEN, 4_000)).isEqualTo(Found.GROWS);
    Place third = newest(key);
    assertThat(third).isNotEqualTo(second);
    assertThat(places.rightful(first, record(key, second.partition()))).isTrue();

    // The history leads from each to the next, and from one that was never its place to the last.
    assertThat(places.onward(third, first, key)).isEqualTo(second);
    assertThat(places.onward(third, second, key)).isEqualTo(third);
    assertThat(last.onward(third, first, key)).isEqualTo(third);

    assertThat(places.found("rooms", SEVEN, Places.GRACE_MS)).isEqualTo(Found.GROWN);
    assertThat(known(key)).isEqualTo(second);
    assertThat(places.found("rooms", SEVEN, 3_999 + Places.GRACE_MS)).isEqualTo(Found.SAME);
    assertThat(places.found("rooms", SEVEN, 4_000 + Places.GRACE_MS)).isEqualTo(Found.GROWN);
    assertThat(known(key)).isEqualTo(third);
  }

  @Test
  @DisplayName("however often a topic grows, a bounded number of its sizes is kept")
  void grownOften() {
    for (int partitions = 1; partitions <= 100; partitions++) {
      places.found("rooms", new Topic("topic-00", partitions), 0);
    }
    int moves = 0;
    while (places.found("rooms", new Topic("topic-00", 100), Places.GRACE_MS) == Found.GROWN) {
      moves++;
    }
    assertThat(moves).isEqualTo(16);
    assertThat(known("k")).isEqualTo(newest("k"));
  }

  private static ConsumerRecord<byte[], byte[]> record(String key, int partition) {
    byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
    return new ConsumerRecord<>("rooms", partition, 0, bytes, new byte[0]);
  }

  @Test
  @DisplayName("a broker that has not heard of the partitions yet changes nothing")
  void late() {
    assertThat(places.found("rooms", TWO, 0)).isEqualTo(Found.SAME);
    assertThat(places.found("rooms", SEVEN, 0)).isEqualTo(Found.GROWS);
    assertThat(places.found("rooms", TWO, 1_000)).isEqualTo(Found.SAME);
    assertThat(places.partitions("rooms")).isEqualTo(7);
    assertThat(places.found("rooms", TWO, Places.GRACE_MS)).isEqualTo(Found.GROWN);
    assertThat(known("a").partition()).isEqualTo(newest("a").partition());
  }

  @Test
  @DisplayName("a topic that was made anew is another one at once, also for who was about to move")
  void recreated() {
    assertThat(places.found("rooms", TWO, 0)).isEqualTo(Found.SAME);
    assertThat(places.found("rooms", SEVEN, 0)).isEqualTo(Found.GROWS);
    assertThat(places.found("rooms", new Topic("topic-01", 1), 1)).isEqualTo(Found.ANOTHER);
    assertThat(known("a").topic()).isEqualTo("topic-01");
    assertThat(places.before(known("a"), "topic-00", 0)).isNull();
    assertThat(places.found("rooms", new Topic("topic-01", 1), Places.GRACE_MS))
        .isEqualTo(Found.SAME);
    assertThat(places.forget("rooms")).isTrue();
    assertThat(places.known(ROOMS, "a")).isNull();
  }

  @Test
  @DisplayName("however edges look: when one moves its subscribers, none writes where they were")
  void apart() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(4);
    for (int run = 0; run < 2_000; run++) {
      long lastWriteMs = 0;
      long firstMoveMs = Long.MAX_VALUE;
      for (int edge = 0; edge < 3; edge++) {
        Places own = new Places(1_000);
        boolean moved = own.found("rooms", TWO, 0) == Found.GROWN;
        // A broker may hear two seconds late; a publisher's knowledge may be KNOWN_MS old.
        lastWriteMs = Math.max(lastWriteMs, random.nextLong(2_000) + ChannelPublisher.KNOWN_MS);
        for (long ms = random.nextLong(5_000); !moved; ms += random.nextLong(1, 20_000)) {
          moved = own.found("rooms", SEVEN, ms) == Found.GROWN;
          firstMoveMs = moved ? Math.min(firstMoveMs, ms) : firstMoveMs;
        }
      }
      assertThat(firstMoveMs).isGreaterThan(lastWriteMs);
    }
  }
}
