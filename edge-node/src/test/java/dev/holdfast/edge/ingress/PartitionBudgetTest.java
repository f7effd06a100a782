package dev.holdfast.edge.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import org.junit.jupiter.api.Test;

class PartitionBudgetTest {
  @Test
  void aShareIsAtMostAQuarter() {
    PartitionBudget one = new PartitionBudget(1, 4_000);
    assertThat(one.take(new int[] {0}, 600)).isTrue();
    assertThat(one.take(new int[] {0}, 401)).isFalse();
    assertThat(one.take(new int[] {0}, 400)).isTrue();
    PartitionBudget ten = new PartitionBudget(10, 4_000);
    assertThat(ten.take(new int[] {3}, 300)).isTrue();
    assertThat(ten.take(new int[] {3}, 101)).isFalse();
    assertThat(ten.take(new int[] {4}, 400)).isTrue();
  }

  @Test
  void takesForAllRecordsOrNone() {
    PartitionBudget budget = new PartitionBudget(4, 4_000);
    assertThat(budget.take(new int[] {2}, 900)).isTrue();
    assertThat(budget.take(new int[] {1, 2, 1}, 200)).isFalse();
    assertThat(budget.outstanding(1)).isZero();
    assertThat(budget.outstanding(2)).isEqualTo(900);
    assertThat(budget.take(new int[] {1, 3, 1}, 200)).isTrue();
    assertThat(budget.outstanding(1)).isEqualTo(400);
  }

  @Test
  void whatIsLargerThanAShareGoesAlone() {
    PartitionBudget budget = new PartitionBudget(4, 4_000);
    assertThat(budget.take(new int[] {1, 1, 1}, 900)).isTrue();
    assertThat(budget.take(new int[] {1}, 1)).isFalse();
    budget.release(1, 900);
    budget.release(1, 900);
    budget.release(1, 900);
    assertThat(budget.take(new int[] {1}, 1)).isTrue();
  }

  @Test
  void theBufferHoldsAllSharesInBatchesThatAreHalfEmpty() {
    assertThat(ProducerSettings.buffer(Limits.DEFAULT))
        .isGreaterThan(2L * Limits.DEFAULT.ingressBytes());
  }
}
