package dev.holdfast.edge.session;

import static dev.holdfast.edge.session.AckCoalescer.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class AckCoalescerTest {
  private static final long FAR = 1_000_000;

  private final AckCoalescer acks = new AckCoalescer();

  @Test
  void anAckThatNobodyWaitsForIsHeldForHalfASecond() {
    acks.start(0);
    acks.synced();
    assertThat(acks.ack(1, 1, 5)).isEqualTo(NONE);
    assertThat(acks.ack(2, 2, 50)).isEqualTo(NONE);
    assertThat(acks.pending()).isTrue();
    assertThat(acks.due(504)).isEqualTo(NONE);
    assertThat(acks.due(505)).isEqualTo(2);
    assertThat(acks.pending()).isFalse();
    assertThat(acks.ack(3, 3, 900)).isEqualTo(NONE);
    assertThat(acks.dueAtMs()).isEqualTo(1_400);
  }

  @Test
  void sixtyFourMessagesGoAtOnce() {
    acks.start(0);
    acks.synced();
    assertThat(acks.ack(63, FAR, 1)).isEqualTo(NONE);
    assertThat(acks.ack(64, FAR, 2)).isEqualTo(64);
  }

  @Test
  void beforeSyncHalfOfWhatIsUnderWayOrAllOfIt() {
    acks.start(100);
    assertThat(acks.ack(101, 132, 1_000)).isEqualTo(NONE);
    assertThat(acks.ack(115, 132, 1_001)).isEqualTo(NONE);
    assertThat(acks.ack(116, 132, 1_002)).isEqualTo(116);
    assertThat(acks.ack(147, 180, 1_003)).isEqualTo(NONE);
    assertThat(acks.ack(148, 180, 1_003)).isEqualTo(148);
    assertThat(acks.ack(163, 180, 1_003)).isEqualTo(NONE);
    assertThat(acks.ack(180, 180, 1_004)).isEqualTo(180);
    assertThat(acks.ack(181, 190, 1_005)).isEqualTo(NONE);
    assertThat(acks.due(1_505)).isEqualTo(181);
  }

  @Test
  void aFullWindowMakesItUrgentUntilTheNextReport() {
    acks.start(0);
    acks.synced();
    assertThat(acks.ack(10, 32, 0)).isEqualTo(NONE);
    assertThat(acks.full(32, 1)).isEqualTo(NONE);
    assertThat(acks.ack(16, 32, 2)).isEqualTo(16);
    assertThat(acks.ack(32, 32, 3)).isEqualTo(NONE);
    assertThat(acks.full(32, 4)).isEqualTo(32);
    assertThat(acks.full(32, 5)).isEqualTo(NONE);
  }

  @Test
  void ignoresWhatIsNoProgress() {
    acks.start(10);
    acks.synced();
    assertThat(acks.ack(10, FAR, 0)).isEqualTo(NONE);
    assertThat(acks.ack(3, FAR, 0)).isEqualTo(NONE);
    assertThat(acks.pending()).isFalse();
  }

  @Test
  void keepsWhatCouldNotBeHandedOver() {
    acks.start(0);
    acks.synced();
    assertThat(acks.ack(70, FAR, 0)).isEqualTo(70);
    acks.notTaken();
    assertThat(acks.pending()).isTrue();
    assertThat(acks.due(499)).isEqualTo(NONE);
    assertThat(acks.due(500)).isEqualTo(70);
    assertThat(acks.flush(500)).isEqualTo(NONE);
  }

  @Test
  void repeatsWhatWasNotStoredUnlessALaterOneCoversIt() {
    acks.start(0);
    acks.synced();
    assertThat(acks.ack(70, FAR, 0)).isEqualTo(70);
    assertThat(acks.ack(140, FAR, 200)).isEqualTo(140);
    acks.notStored(70);
    assertThat(acks.pending()).isFalse();
    acks.notStored(140);
    assertThat(acks.pending()).isTrue();
    assertThat(acks.due(700)).isEqualTo(140);
    acks.notStored(140);
    assertThat(acks.ack(141, FAR, 1_100)).isEqualTo(141);
  }

  /** Reports grow, claim nothing that was not acknowledged, come in time and are few. */
  @Property
  void reportsAreTrueTimelyAndFew(
      @ForAll @Size(max = 300) List<@IntRange(max = 40) Integer> steps,
      @ForAll @IntRange(max = 300) int syncAt,
      @ForAll @IntRange(max = 300) int fullAt) {
    AckCoalescer each = new AckCoalescer();
    each.start(0);
    long now = 0;
    long acked = 0;
    long reported = 0;
    long reports = 0;
    int i = 0;
    for (int step : steps) {
      if (i++ == syncAt) {
        each.synced();
      }
      now += step;
      long due = i == fullAt ? each.full(acked + 1, now) : each.due(now);
      if (due != NONE) {
        assertThat(due).isEqualTo(acked).isGreaterThan(reported);
        reported = due;
        reports++;
      }
      acked += step % 3;
      long at = each.ack(acked, acked + 1, now);
      if (at != NONE) {
        assertThat(at).isEqualTo(acked).isGreaterThan(reported);
        reported = at;
        reports++;
      }
      assertThat(each.pending()).isEqualTo(acked > reported);
      assertThat(!each.pending() || each.dueAtMs() <= now + AckCoalescer.HOLD_MS).isTrue();
    }
    assertThat(reports)
        .isLessThanOrEqualTo(2 + now / AckCoalescer.HOLD_MS + acked / AckCoalescer.LEAST_BATCH);
    assertThat(each.flush(now) == NONE ? reported : acked).isEqualTo(acked);
  }
}
