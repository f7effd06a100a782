package dev.holdfast.testkit.sim;

import static org.assertj.core.api.Assertions.fail;

import java.util.stream.LongStream;

/** Many runs, on all cores: they share nothing. */
final class Runs {
  /** Names the one seed to run. */
  private static final String SEED = "holdfast.sim.seed";

  private Runs() {}

  /** Fails with the story of one of {@code count} seeds that goes wrong. */
  static void good(long first, long count) {
    Long one = Long.getLong(SEED);
    long begin = one == null ? first : one;
    long end = one == null ? first + count : begin + 1;
    long started = System.nanoTime();
    long messages =
        LongStream.range(begin, end)
            .parallel()
            .mapToObj(Simulation::run)
            .mapToLong(Runs::require)
            .sum();
    double seconds = (System.nanoTime() - started) / 1e9;
    System.out.printf(
        "simulator: seeds %d to %d, %d messages, %.1f s, %.0f runs/s%n",
        begin, end - 1, messages, seconds, (end - begin) / seconds);
  }

  private static long require(Simulation.Outcome outcome) {
    if (outcome.violation() != null) {
      fail(
          "seed %d went wrong; run it alone with -D%s=%d%n%s",
          outcome.seed(), SEED, outcome.seed(), outcome.violation());
    }
    return outcome.messages();
  }
}
