package dev.holdfast.edge.session;

import static dev.holdfast.edge.session.DeliveryFilter.Verdict.GAP;
import static dev.holdfast.edge.session.DeliveryFilter.Verdict.GAP_RESYNC;
import static dev.holdfast.edge.session.DeliveryFilter.Verdict.PASS;
import static dev.holdfast.edge.session.DeliveryFilter.Verdict.REPEAT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class DeliveryFilterTest {
  private final DeliveryFilter filter = new DeliveryFilter();

  @Test
  void passesTheNextAndDropsRepeats() {
    filter.start(10);
    assertThat(filter.offer(11, 0)).isEqualTo(PASS);
    assertThat(filter.offer(11, 0)).isEqualTo(REPEAT);
    assertThat(filter.offer(3, 0)).isEqualTo(REPEAT);
    assertThat(filter.offer(12, 0)).isEqualTo(PASS);
    assertThat(filter.last()).isEqualTo(12);
  }

  @Test
  void asksForAGapAtMostOnceASecond() {
    filter.start(0);
    assertThat(filter.offer(2, 100)).isEqualTo(GAP_RESYNC);
    assertThat(filter.offer(3, 1_099)).isEqualTo(GAP);
    assertThat(filter.offer(4, 1_100)).isEqualTo(GAP_RESYNC);
    assertThat(filter.last()).isZero();
  }

  @Test
  void asksAgainForAnOpenGapThatNobodyAnswered() {
    filter.start(0);
    assertThat(filter.resyncDue(10_000)).isFalse();
    assertThat(filter.offer(2, 10_000)).isEqualTo(GAP_RESYNC);
    assertThat(filter.resyncDue(14_999)).isFalse();
    assertThat(filter.resyncDue(15_000)).isTrue();
    assertThat(filter.offer(1, 15_000)).isEqualTo(PASS);
    assertThat(filter.resyncDue(30_000)).isTrue();
    assertThat(filter.offer(2, 30_000)).isEqualTo(PASS);
    assertThat(filter.resyncDue(60_000)).isFalse();
  }

  /** Whatever comes in whatever order, what passes is the sequence without gap or repeat. */
  @Property
  void whatPassesIsTheSequence(
      @ForAll @IntRange(max = 20) int from,
      @ForAll @Size(max = 200) List<@IntRange(min = 1, max = 40) Integer> seqs) {
    DeliveryFilter each = new DeliveryFilter();
    each.start(from);
    long expected = from + 1L;
    long askedAt = Long.MIN_VALUE / 2;
    long now = 0;
    for (int seq : seqs) {
      now += 300;
      switch (each.offer(seq, now)) {
        case PASS -> assertThat((long) seq).isEqualTo(expected++);
        case REPEAT -> assertThat((long) seq).isLessThan(expected);
        case GAP -> assertThat((long) seq).isGreaterThan(expected);
        case GAP_RESYNC -> {
          assertThat((long) seq).isGreaterThan(expected);
          assertThat(now - askedAt).isGreaterThanOrEqualTo(1_000);
          askedAt = now;
        }
      }
      assertThat(each.last()).isEqualTo(expected - 1);
    }
  }
}
