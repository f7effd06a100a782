package dev.holdfast.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each mistake that the design rules out is one that the simulator finds. */
class BrokenRulesTest {
  private static final int SEEDS = 500;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void theSimulatorFindsTheMistake(Variant mistake) {
    List<String> found = new ArrayList<>();
    for (long seed = 1; seed <= SEEDS && found.size() < 3; seed++) {
      Simulation.Outcome outcome = Simulation.run(seed, mistake);
      if (outcome.violation() != null) {
        found.add(outcome.violation().lines().findFirst().orElse(""));
      }
    }
    assertThat(found).as("violations of %s in %d seeds", mistake, SEEDS).hasSize(3);
    System.out.printf("%s: %s%n", mistake, Objects.requireNonNull(found.get(0)));
  }

  @ParameterizedTest
  @CsvSource({
    "TWO_LOGS, ' names '",
    "OFFSET_WITHOUT_ROWS, ' names '",
    "CONNECT_IS_NO_SIGN_OF_LIFE, 'the log ends '",
    "PROPOSERS_STAMP, 'the log ends '",
    "PROPOSERS_STAMP, ' is offline after '",
    "PROPOSERS_STAMP, ' is rid of '",
    "OLD_COPIES_TAKEN, ' was written once'"
  })
  void whatItFindsIsAmongOthers(Variant mistake, String words) {
    boolean found = false;
    for (long seed = 1; seed <= SEEDS && !found; seed++) {
      String violation = Simulation.run(seed, mistake).violation();
      found = violation != null && violation.lines().findFirst().orElse("").contains(words);
    }
    assertThat(found).isTrue();
  }
}
