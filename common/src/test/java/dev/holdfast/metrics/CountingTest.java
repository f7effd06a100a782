package dev.holdfast.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CountingTest {
  @Test
  void aTallyCountsByNameAndTellsTheKnownOnesFromTheStart() {
    Tally tally = new Tally("known");
    tally.count("new");
    tally.count("new");
    assertThat(tally.sums()).containsEntry("known", 0L).containsEntry("new", 2L).hasSize(2);
  }

  @Test
  void namesAreBounded() {
    Tally tally = new Tally();
    for (int i = 0; i < 10 * Tally.MOST; i++) {
      tally.count("name-" + i);
    }
    assertThat(tally.sums()).hasSize(Tally.MOST + 1);
    assertThat(tally.sums()).containsEntry(Tally.OTHER, 9L * Tally.MOST);
  }

  @Test
  void countingAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    assumeTrue(threads.isThreadAllocatedMemorySupported(), "this JVM does not count allocations");
    Tally tally = new Tally("known");
    Latency latency = new Latency();
    long before = 0;
    for (int i = 0; i < 20_000; i++) {
      if (i == 10_000) {
        before = threads.getCurrentThreadAllocatedBytes();
      }
      tally.count("known");
      latency.recordNanos(i * 1_000L);
    }
    // The two readings may cost a few bytes themselves; one byte a call would be 10 000.
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1_000);
  }

  @Test
  void aLatencyFallsIntoTheBucketWhoseBoundItDoesNotExceed() {
    Latency latency = new Latency();
    latency.recordMs(1);
    latency.recordNanos(1_000_001);
    latency.recordMs(-3);
    latency.recordMs(60_000);
    long[] counts = latency.counts();
    assertThat(counts[0]).isEqualTo(2);
    assertThat(counts[1]).isEqualTo(1);
    assertThat(counts[counts.length - 1]).isEqualTo(1);
    assertThat(Arrays.stream(counts).sum()).isEqualTo(4);
    assertThat(latency.sumSeconds()).isEqualTo(60.002000001);
    assertThat(Latency.bounds()).hasSameSizeAs(counts).isSorted();
  }
}
