package dev.holdfast.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SimulationTest {
  @Test
  void nothingIsLostDoubledOrReorderedWhateverBreaks() {
    Runs.good(1, 2_000);
  }

  @Test
  void aSeedReproducesItsRun() {
    assertThat(Simulation.run(7)).isEqualTo(Simulation.run(7));
    assertThat(Simulation.run(7, Variant.NO_FILTER))
        .isEqualTo(Simulation.run(7, Variant.NO_FILTER));
  }
}
