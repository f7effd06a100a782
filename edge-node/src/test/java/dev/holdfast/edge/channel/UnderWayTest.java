package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class UnderWayTest {
  private final UnderWay there = new UnderWay();

  @Test
  @DisplayName("by another number nothing goes before all that went by the one before has arrived")
  void oneNumberAtATime() {
    assertThat(there.begin(2)).isTrue();
    assertThat(there.begin(2)).isTrue();
    assertThat(there.begin(5)).isFalse();
    there.end();
    assertThat(there.begin(5)).isFalse();
    assertThat(there.count()).isEqualTo(1);
    there.end();
    assertThat(there.begin(5)).isTrue();
    assertThat(there.begin(2)).isFalse();
    there.end();
    assertThat(there.count()).isZero();
    assertThat(there.begin(1)).isTrue(); // made anew with fewer
  }

  @Test
  @DisplayName("one that was not written again holds up those behind it until all have arrived")
  void broken() {
    assertThat(there.begin(2)).isTrue();
    assertThat(there.begin(2)).isTrue();
    assertThat(there.broken()).isFalse();
    there.breakOff();
    there.end();
    assertThat(there.begin(2)).isTrue();
    there.breakOff();
    assertThat(there.broken()).isTrue();
    assertThat(there.count()).isEqualTo(2);
    assertThat(there.begin(5)).isFalse();
    there.end();
    there.end();
    assertThat(there.begin(5)).isTrue();
    assertThat(there.broken()).isFalse();
  }

  @Test
  @DisplayName("of many threads with two numbers none finds its own while the other's are there")
  void threads() throws InterruptedException {
    int[] numbers = {2, 5};
    AtomicInteger[] now = {new AtomicInteger(), new AtomicInteger()};
    AtomicInteger together = new AtomicInteger();
    AtomicInteger went = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int mine = t % 2;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 50_000; i++) {
                  if (there.begin(numbers[mine])) {
                    now[mine].incrementAndGet();
                    together.addAndGet(now[1 - mine].get());
                    now[mine].decrementAndGet();
                    went.incrementAndGet();
                    there.end();
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(together).hasValue(0);
    assertThat(there.count()).isZero();
    assertThat(went).hasValueGreaterThan(100);
  }
}
