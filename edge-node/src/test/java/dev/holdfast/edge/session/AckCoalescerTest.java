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
  void theFirstAfterAQuietTimeGoesAtOnceTheNextWaits() {
    acks.start(0);
    acks.synced();
    assertThat(acks.ack(1, FAR, 5)).isEqualTo(1);
    assertThat(acks.ack(2, FAR, 50)).isEqualTo(NONE);
    assertThat(acks.ack(3, FAR, 60)).isEqualTo(NONE);
    assertThat(acks.pending()).isTrue();
    assertThat(acks.due(104)).isEqualTo(NONE);
    assertThat(acks.due(105)).isEqualTo(3);
    assertThat(acks.pending()).isFalse();
    assertThat(acks.ack(4, FAR, 205)).isEqualTo(4);
  }

  @Test
  void sixtyFourMessagesGoAtOnce() {
    acks.start(0);
    acks.synced();
    assertThat(acks.ack(1, FAR, 0)).isEqualTo(1);
    assertThat(acks.ack(64, FAR, 1)).isEqualTo(NONE);
    assertThat(acks.ack(65, FAR, 2)).isEqualTo(65);
  }

  @Test
  void beforeSyncEverySixteenOrEverythingReceived() {
    acks.start(100);
    assertThat(acks.ack(101, 132, 1_000)).isEqualTo(NONE);
    assertThat(acks.ack(115, 132, 1_001)).isEqualTo(NONE);
    assertThat(acks.ack(116, 132, 1_002)).isEqualTo(116);
    assertThat(acks.ack(120, 132, 1_003)).isEqualTo(NONE);
    assertThat(acks.ack(132, 132, 1_004)).isEqualTo(132);
    assertThat(acks.ack(133, 140, 1_005)).isEqualTo(NONE);
    assertThat(acks.due(1_104)).isEqualTo(133);
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
    assertThat(acks.ack(5, FAR, 0)).isEqualTo(5);
    acks.notTaken();
    assertThat(acks.pending()).isTrue();
    assertThat(acks.due(99)).isEqualTo(NONE);
    assertThat(acks.due(100)).isEqualTo(5);
    assertThat(acks.flush(100)).isEqualTo(NONE);
  }

  @Test
  void repeatsWhatWasNotStoredUnlessALaterOneCoversIt() {
    acks.start(0);
    acks.synced();
    assertThat(acks.ack(5, FAR, 0)).isEqualTo(5);
    assertThat(acks.ack(6, FAR, 200)).isEqualTo(6);
    acks.notStored(5);
    assertThat(acks.pending()).isFalse();
    acks.notStored(6);
    assertThat(acks.pending()).isTrue();
    assertThat(acks.due(300)).isEqualTo(6);
    acks.notStored(6);
    assertThat(acks.ack(7, FAR, 500)).isEqualTo(7);
  }

  /** Reports grow, claim nothing that was not acknowledged, come in time and are few. */
  @Property
  void reportsAreTrueTimelyAndFew(
      @ForAll @Size(max = 300) List<@IntRange(max = 40) Integer> steps,
      @ForAll @IntRange(max = 300) int syncAt) {
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
      long due = each.due(now);
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
      assertThat(!each.pending() || each.dueAtMs() <= now + AckCoalescer.QUIET_MS).isTrue();
    }
    assertThat(reports)
        .isLessThanOrEqualTo(2 + now / AckCoalescer.QUIET_MS + acked / AckCoalescer.REPLAY_BATCH);
    assertThat(each.flush(now) == NONE ? reported : acked).isEqualTo(acked);
  }
}
