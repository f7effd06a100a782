package dev.holdfast.edge.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.RawJson;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class IngressQueueTest {
  private static final EdgeRef EDGE = new EdgeRef("e", "i", 0);

  @Test
  void isBoundedByRecords() throws InterruptedException {
    IngressQueue queue = new IngressQueue(3, 1_000_000);
    assertThat(queue.offer(message(2, 10))).isTrue();
    assertThat(queue.offer(message(2, 10))).isFalse();
    assertThat(queue.offer(message(1, 10))).isTrue();
    assertThat(queue.poll(0)).isNotNull();
    assertThat(queue.offer(message(2, 10))).isTrue();
  }

  @Test
  void isBoundedByBytesButTakesOneLargeJobAlone() throws InterruptedException {
    IngressQueue queue = new IngressQueue(100, 1_000);
    assertThat(queue.offer(message(1, 5_000))).isTrue();
    assertThat(queue.offer(message(1, 1))).isFalse();
    assertThat(queue.poll(0)).isNotNull();
    assertThat(queue.offer(message(1, 1))).isTrue();
  }

  @Test
  void alwaysTakesWhatIsForced() {
    IngressQueue queue = new IngressQueue(1, 1_000);
    assertThat(queue.offer(message(1, 1))).isTrue();
    assertThat(queue.force(new Job.Forget("u", "c", EDGE))).isTrue();
    assertThat(queue.force(message(1, 1))).isTrue();
    assertThat(queue.offer(message(1, 1))).isFalse();
  }

  @Test
  void closedItGivesOutTheRestAndTakesNothing() throws InterruptedException {
    IngressQueue queue = new IngressQueue(10, 10_000);
    Job job = message(1, 1);
    queue.offer(job);
    queue.close();
    assertThat(queue.force(message(1, 1))).isFalse();
    assertThat(queue.drained()).isFalse();
    assertThat(queue.poll(1_000)).isSameAs(job);
    assertThat(queue.drained()).isTrue();
    assertThat(queue.poll(60_000)).isNull();
  }

  @Test
  void anOutcomeWaitsForAllRecordsAndIsToldOnce() {
    List<Boolean> told = new ArrayList<>();
    EdgeCounters counters = new EdgeCounters();
    Completion all = new Completion(3, told::add, counters);
    all.one(true);
    all.one(true);
    assertThat(told).isEmpty();
    all.one(true);
    assertThat(told).containsExactly(true);
    Completion some = new Completion(2, told::add, counters);
    some.one(false);
    some.one(true);
    assertThat(told).containsExactly(true, false);
    assertThat(counters.stored.sum()).isEqualTo(4);
    assertThat(counters.notStored.sum()).isEqualTo(1);
  }

  private static Job message(int users, int bytes) {
    RawJson payload = RawJson.of("\"" + "x".repeat(Math.max(0, bytes - 2)) + "\"");
    return new Job.Publish(
        Collections.nCopies(users, "u"), new Event.Message("f", "c", "m", payload), null);
  }
}
