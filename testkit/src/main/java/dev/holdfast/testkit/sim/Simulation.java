package dev.holdfast.testkit.sim;

import org.jspecify.annotations.Nullable;

/** One run from a seed: faults first, then rest, then the reckoning. */
public final class Simulation {
  private static final long REST_MS = 240_000;
  private static final long STEP_MS = 4_700;

  /**
   * What came of a run.
   *
   * @param violation what must not be and was, with the last things that happened; null when the
   *     run is good
   * @param messages stored, each counted once
   */
  public record Outcome(long seed, @Nullable String violation, long messages) {}

  private final long seed;
  private final World world;
  private final Plan plan;

  private Simulation(long seed, Variant variant) {
    this.seed = seed;
    this.world = new World(seed);
    this.plan = Plan.of(world, variant);
  }

  /** Runs {@code seed}. */
  public static Outcome run(long seed) {
    return run(seed, Variant.NONE);
  }

  /** Runs {@code seed} with a mistake made on purpose. */
  public static Outcome run(long seed, Variant variant) {
    return new Simulation(seed, variant).run();
  }

  private Outcome run() {
    Cast cast = null;
    try {
      cast = new Cast(world, plan);
      play(cast);
      return new Outcome(seed, null, cast.ledger().stored());
    } catch (Violation | RuntimeException e) {
      String what = e instanceof Violation ? e.getMessage() : trace(e);
      String story = what + "\n" + plan + world.story() + "\n" + what;
      return new Outcome(seed, story, cast == null ? 0 : cast.ledger().stored());
    }
  }

  private static String trace(Throwable e) {
    StringBuilder text = new StringBuilder(e.toString());
    for (StackTraceElement at : e.getStackTrace()) {
      if (at.getClassName().startsWith("dev.holdfast")) {
        text.append("\n    at ").append(at);
      }
    }
    return text.toString();
  }

  private void play(Cast cast) {
    Chaos chaos = new Chaos(world, plan, cast);
    chaos.start();
    world.run(plan.chaosMs());
    world.faultsOff();
    cast.edges().forEach(SimEdge::resume);
    for (SimClient client : cast.clients()) {
      client.want(!world.chance(4));
    }
    if (world.chance(2)) {
      world.after(world.between(1_000, 30_000), chaos::ebb);
    }
    world.run(Plan.LULL_MS + plan.waitMs());
    for (SimClient client : cast.clients()) {
      if (client.wanted()) {
        client.want(true);
      }
    }
    chaos.backend(true);
    // Once more in the middle of it, when nothing later would repair what is lost now.
    world.run(world.between(0, 20));
    if (world.chance(2)) {
      boolean statesToo = world.chance(2);
      for (Application app : cast.applications()) {
        for (int p = 0; p < plan.partitions(); p++) {
          if (statesToo) {
            app.lose(p);
          } else {
            app.crash(p);
          }
        }
      }
    }
    Ending ending = new Ending(cast, plan);
    String unrest = "";
    for (long ms = 0; ms < REST_MS && unrest != null; ms += STEP_MS) {
      world.run(STEP_MS);
      unrest = ending.unrest();
    }
    if (unrest != null) {
      throw new Violation("it does not come to rest: " + unrest);
    }
    ending.check();
    new ToldAgainCheck(world, cast).run();
  }
}
