package dev.holdfast.testkit.sim;

import dev.holdfast.RawJson;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Who stays online is told again, and as before, long before the topic deletes what was told: the
 * newest record of somebody online is never older than ten days and a sweep.
 */
final class ToldAgainCheck {
  private static final long AGE_MS = Duration.ofDays(10).toMillis();

  /** One look at all users, which are few, with the instances' clocks a little apart. */
  private static final long SWEEP_MS = 10_000;

  private final World world;
  private final Cast cast;

  ToldAgainCheck(World world, Cast cast) {
    this.world = world;
    this.cast = cast;
  }

  /** Begins at rest, and lets ten days pass in which nobody's connection ends. */
  void run() {
    Map<Application, Map<String, Application.Online>> before = new HashMap<>();
    cast.applications().forEach(app -> before.put(app, Map.copyOf(app.presence())));
    cast.log().leap(AGE_MS);
    world.run(2 * SWEEP_MS);
    before.forEach(
        (app, told) -> told.forEach((user, old) -> check(app, user, old, app.presence())));
  }

  private void check(
      Application app,
      String user,
      Application.Online old,
      Map<String, Application.Online> presence) {
    Application.Online newest = presence.getOrDefault(user, old);
    long ageMs = cast.log().now() - newest.atMs();
    if (online(newest.record()) && ageMs > AGE_MS + SWEEP_MS) {
      throw new Violation(
          app.name + " told " + ageMs + " ms ago that " + user + " is online, and not again");
    }
    if (!withoutRev(newest.record()).equals(withoutRev(old.record()))) {
      throw new Violation(app.name + " told again " + old + " as " + newest);
    }
  }

  private static boolean online(RawJson record) {
    return record.toString().contains("\"online\"");
  }

  private static String withoutRev(RawJson record) {
    String text = record.toString();
    return text.substring(0, text.lastIndexOf("\"rev\""));
  }
}
