package dev.holdfast.testkit.sim;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SimulationCampaignTest {
  @Test
  @Tag("campaign")
  void nothingIsLostDoubledOrReorderedInManyRuns() {
    Runs.good(1_000_000, 15_000);
  }
}
