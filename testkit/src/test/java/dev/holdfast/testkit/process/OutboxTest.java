package dev.holdfast.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OutboxTest {
  private final Outbox outbox = new Outbox();

  private void add(String id) {
    outbox.add(id, "frame-" + id, List.of("bob"), "1", 0);
  }

  @Test
  void sendsEachOnceInOrder() {
    add("m1");
    add("m2");

    assertThat(outbox.due()).containsExactly("frame-m1", "frame-m2");
    assertThat(outbox.due()).isEmpty();
  }

  @Test
  void resendsAllInOrderOnANewConnection() {
    add("m1");
    add("m2");
    outbox.due();
    outbox.accepted("m1", "id1", 0);
    outbox.reconnected();
    add("m3");

    assertThat(outbox.due()).containsExactly("frame-m2", "frame-m3");
  }

  @Test
  void afterARefusalOnlyTheOldestGoesUntilItIsAccepted() {
    add("m1");
    add("m2");
    outbox.due();
    outbox.refused();
    add("m3");

    assertThat(outbox.due()).isEmpty();
    assertThat(outbox.retry()).containsExactly("frame-m1");
    assertThat(outbox.accepted("m1", "id1", 5)).isPresent();
    assertThat(outbox.due()).containsExactly("frame-m2", "frame-m3");
  }

  @Test
  void acceptedTwiceCountsOnce() {
    add("m1");
    outbox.due();

    assertThat(outbox.accepted("m1", "id1", 0)).isPresent();
    assertThat(outbox.accepted("m1", "id1", 0)).isEmpty();
    assertThat(outbox.size()).isZero();
  }
}
