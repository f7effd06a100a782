package dev.holdfast.testkit.sim;

import dev.holdfast.record.Rules;

/**
 * What one run is made of; everything follows from the seed.
 *
 * @param chaosMs how long things go wrong
 * @param pair whether a second application runs beside the first
 * @param late how one more application comes to its state
 * @param lateAtMs when it starts
 * @param waitMs how long nothing happens after the faults, so that identities are forgotten
 * @param quietMs what is older than this, an application that begins without state does not emit
 * @param roomy whether no limit is small
 * @param next the rules that hold after some time
 */
record Plan(
    Variant variant,
    int users,
    int clientsPerUser,
    int edges,
    int partitions,
    int deliveryPartitions,
    long chaosMs,
    boolean pair,
    Late late,
    long lateAtMs,
    long waitMs,
    long quietMs,
    boolean roomy,
    Rules rules,
    Rules next) {

  /** How an application that starts later comes to its state. */
  enum Late {
    /** There is none. */
    NONE,
    /** It reads the log from its beginning. */
    FROM_ZERO,
    /** It goes on from a copy of what another one committed. */
    FROM_COPY
  }

  /** How long it takes from the end of the faults until everybody is back. */
  static final long LULL_MS = 60_000;

  static Plan of(World world, Variant variant) {
    int partitions = (int) world.between(1, 3);
    boolean roomy = world.chance(2);
    long chaosMs = world.between(3_000, 25_000);
    Late late = world.chance(2) ? Late.NONE : world.chance(2) ? Late.FROM_ZERO : Late.FROM_COPY;
    // Nothing is forgotten in a roomy run, so there is nothing to wait for.
    long waitMs =
        late == Late.FROM_ZERO && !roomy && world.chance(2) ? world.between(40_000, 90_000) : 0;
    long lateAtMs = waitMs > 0 ? chaosMs + LULL_MS + waitMs : world.between(0, chaosMs + LULL_MS);
    return new Plan(
        variant,
        (int) world.between(2, 4),
        (int) world.between(1, 2),
        (int) world.between(2, 3),
        partitions,
        (int) world.between(1, 3),
        chaosMs,
        world.chance(2),
        late,
        lateAtMs,
        waitMs,
        world.chance(2) ? 60_000 : world.between(100, 5_000),
        roomy,
        rules(world, partitions, roomy),
        rules(world, partitions, roomy));
  }

  private static Rules rules(World world, int partitions, boolean roomy) {
    Rules d = Rules.defaults(partitions);
    if (roomy) {
      return new Rules(
          Rules.VERSION,
          partitions,
          d.maxBacklog(),
          d.resumeTtlMs(),
          d.mailboxMessages(),
          d.mailboxAgeMs(),
          d.window(),
          d.windowBytes(),
          d.windowStart(),
          d.dedupWindowMs(),
          d.clientsPerUser(),
          world.between(500, 10_000),
          d.rosterIntervalMs(),
          d.mailboxIdleMs());
    }
    int mailbox = (int) world.between(5, 80);
    int window = (int) world.between(1, 40);
    return new Rules(
        Rules.VERSION,
        partitions,
        (int) world.between(3, mailbox),
        world.between(5_000, 60_000),
        mailbox,
        world.between(5_000, 60_000),
        window,
        (int) world.between(200, 20_000),
        (int) world.between(1, window),
        120_000 + world.between(0, 5_000),
        (int) world.between(1, 3),
        world.between(500, 10_000),
        d.rosterIntervalMs(),
        world.between(30_000, 300_000));
  }
}
