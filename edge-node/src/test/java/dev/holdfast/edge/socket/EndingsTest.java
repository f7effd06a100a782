package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.xnio.XnioExecutor;

class EndingsTest {
  private static final int MANY = 1_000;

  private final ByHand thread = new ByHand();
  private final Endings endings = new Endings(thread);
  private int told;
  private int ended;

  @Test
  @DisplayName("one that ends alone is told of and closed by the thread's next task")
  void alone() {
    add(1);
    assertThat(told).isZero();
    thread.runOne();
    assertThat(told).isOne();
    assertThat(ended).isOne();
    thread.assertIdle();
  }

  @Test
  @DisplayName("a frame that waits to be written waits for one pass, however many have ended")
  void otherTasksHaveTheirTurn() {
    add(MANY);
    List<Integer> between = new ArrayList<>();
    int toldBefore = 0;
    int endedBefore = 0;
    while (ended < MANY) {
      thread.execute(() -> between.add(ended)); // a live connection's writer
      thread.runAll();
      assertThat(told - toldBefore).isLessThanOrEqualTo(Endings.MOST_TOLD);
      assertThat(ended - endedBefore).isLessThanOrEqualTo(Endings.MOST_CLOSED);
      assertThat(told + ended).isGreaterThan(toldBefore + endedBefore);
      assertThat(ended)
          .as("closed before all sessions have ended")
          .matches(n -> n == 0 || told == MANY);
      toldBefore = told;
      endedBefore = ended;
      thread.passTime();
    }
    int passes = MANY / Endings.MOST_TOLD + MANY / Endings.MOST_CLOSED + 1;
    assertThat(between.size()).isLessThanOrEqualTo(passes);
    thread.assertIdle();
  }

  @Test
  @DisplayName("who ends while others are being closed is closed as well")
  void more() {
    endings.add(one(() -> add(1)));
    thread.runAll();
    thread.passTime();
    thread.runAll();
    add(1);
    thread.runAll();
    assertThat(ended).isEqualTo(3);
    assertThat(told).isEqualTo(3);
    thread.assertIdle();
  }

  @Test
  @DisplayName("when the thread stops, all are closed at once")
  void theNodeGoes() {
    add(MANY);
    thread.stopped = true;
    thread.runAll();
    assertThat(told).isEqualTo(MANY);
    assertThat(ended).isEqualTo(MANY);
    add(1);
    assertThat(ended).isEqualTo(MANY + 1);
  }

  private void add(int count) {
    for (int i = 0; i < count; i++) {
      endings.add(one(() -> {}));
    }
  }

  private Endings.One one(Runnable also) {
    return new Endings.One() {
      @Override
      public void over() {
        told++;
      }

      @Override
      public void end() {
        ended++;
        also.run();
      }
    };
  }

  /** A thread whose tasks the test runs. */
  private static final class ByHand implements XnioExecutor {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Queue<Runnable> later = new ArrayDeque<>();
    private boolean stopped;

    void runOne() {
      tasks.remove().run();
    }

    void runAll() {
      while (!tasks.isEmpty()) {
        runOne();
      }
    }

    void passTime() {
      tasks.addAll(later);
      later.clear();
    }

    void assertIdle() {
      assertThat(tasks).isEmpty();
      assertThat(later).isEmpty();
    }

    @Override
    public void execute(Runnable task) {
      if (stopped) {
        throw new RejectedExecutionException();
      }
      tasks.add(task);
    }

    @Override
    public Key executeAfter(Runnable task, long time, TimeUnit unit) {
      if (stopped) {
        throw new RejectedExecutionException();
      }
      assertThat(time).isPositive();
      later.add(task);
      return () -> later.remove(task);
    }

    @Override
    public Key executeAtInterval(Runnable task, long time, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }
  }
}
