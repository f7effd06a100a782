package dev.holdfast.delivery.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  void onlyWhatIsBehindTheFirstOneUnderWayIsCommitted() {
    Progress progress = new Progress(5, 2);
    Progress.Entry first = progress.begin(7, 2);
    Progress.Entry second = progress.begin(8, 3);

    second.done();
    assertThat(progress.next()).isEqualTo(5);
    assertThat(progress.epoch()).isEqualTo(2);
    first.done();
    assertThat(progress.next()).isEqualTo(9);
    assertThat(progress.epoch()).as("that of the last record").isEqualTo(3);
  }

  @Test
  void holesArePassedOnlyWhenNothingIsUnderWay() {
    Progress progress = new Progress(0, Progress.NO_EPOCH);
    Progress.Entry first = progress.begin(0, 2);

    progress.fetched(10, 4);
    progress.allBegun();
    assertThat(progress.next()).isZero();
    first.done();
    assertThat(progress.next()).as("a record that was fetched may not be begun yet").isEqualTo(1);
    assertThat(progress.epoch()).isEqualTo(2);
    progress.allBegun();
    assertThat(progress.next()).isEqualTo(10);
    assertThat(progress.epoch()).as("that of what fills the hole").isEqualTo(4);
  }

  @Property(tries = 300)
  void aRecordThatIsNotDoneIsNeverBehind(
      @ForAll @Size(min = 1, max = 30) List<@IntRange(min = 0, max = 99) Integer> order) {
    Progress progress = new Progress(0, Progress.NO_EPOCH);
    List<Progress.Entry> entries = new ArrayList<>();
    while (entries.size() < order.size()) {
      entries.add(progress.begin(3L * entries.size(), 0)); // offsets with holes
    }
    boolean[] done = new boolean[entries.size()];
    for (int n : order) {
      int at = n % entries.size();
      entries.get(at).done();
      done[at] = true;
      int firstOpen = 0;
      while (firstOpen < done.length && done[firstOpen]) {
        firstOpen++;
      }
      assertThat(progress.next()).isEqualTo(firstOpen == 0 ? 0 : 3L * (firstOpen - 1) + 1);
    }
  }
}
