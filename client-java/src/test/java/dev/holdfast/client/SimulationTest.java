package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Thousands of random orders of events. A failure names its seed; {@code -Dholdfast.seed=N} runs
 * that one alone, {@code -Dholdfast.seeds=N} as many.
 */
class SimulationTest {
  @Test
  @DisplayName(
      "R-1.1 R-1.2 R-1.3 R-1.4 R-2.3 R-4.3 R-4.4 R-5.1 R-5.2 R-5.3 hold in whatever order things happen")
  void anyOrder() {
    Long one = Long.getLong("holdfast.seed");
    long from = one == null ? 1 : one;
    long to = one == null ? Long.getLong("holdfast.seeds", 2_000) : one;
    long published = 0;
    for (long seed = from; seed <= to; seed++) {
      Simulation simulation = new Simulation(seed);
      try {
        simulation.run();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("-Dholdfast.seed=" + seed + ": " + e.getMessage(), e);
      }
      published += simulation.published();
    }
    assertThat(published).isPositive();
  }
}
