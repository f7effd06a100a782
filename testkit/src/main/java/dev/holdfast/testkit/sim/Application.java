package dev.holdfast.testkit.sim;

import dev.holdfast.RawJson;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One streams application: for each partition what was last committed, rows and offset together,
 * and the instance that may commit next. Whoever came before that one is a zombie.
 */
final class Application {
  /** What a new instance begins with. */
  private record Committed(MemoryRows rows, long position) {
    Committed copy() {
      return new Committed(rows.copy(), position);
    }
  }

  /**
   * Newest presence of a user.
   *
   * @param atMs log time of the event that made it be told
   */
  record Online(long rev, long atMs, RawJson record) {}

  final String name;
  private final World world;
  private final Plan plan;
  private final SimLog log;
  private final DeliveryLog deliveries;
  private final Ledger ledger;
  private final List<Committed> committed = new ArrayList<>();
  private final List<Instance> leaders = new ArrayList<>();
  private final Map<String, Online> presence = new HashMap<>();
  private int instances;

  /**
   * @param from whose committed state it begins with; null for none, at the log's beginning
   */
  Application(
      String name,
      World world,
      Plan plan,
      SimLog log,
      DeliveryLog deliveries,
      Ledger ledger,
      @Nullable Application from) {
    this.name = name;
    this.world = world;
    this.plan = plan;
    this.log = log;
    this.deliveries = deliveries;
    this.ledger = ledger;
    for (int p = 0; p < plan.partitions(); p++) {
      committed.add(
          from == null ? new Committed(new MemoryRows(), 0) : from.committed.get(p).copy());
      leaders.add(open(p));
    }
    if (from != null) {
      presence.putAll(from.presence);
    }
    log.onAppend(this::wake);
    wake();
  }

  private Instance open(int partition) {
    Committed from = committed.get(partition);
    Instance instance =
        new Instance(
            name + partition + '.' + instances++,
            partition,
            from.rows().copy(),
            from.position(),
            this);
    instance.start();
    return instance;
  }

  private void wake() {
    leaders.forEach(Instance::wake);
  }

  /** The instance dies and takes its state with it: the next one reads the log from the start. */
  void lose(int partition) {
    committed.set(partition, new Committed(new MemoryRows(), 0));
    crash(partition);
  }

  /** The instance dies in the middle of whatever it does; another takes over after a while. */
  void crash(int partition) {
    Instance dead = leaders.get(partition);
    if (dead.dead()) {
      return;
    }
    world.note(dead.name, "dies at", dead.position());
    dead.die();
    leftBehind(dead, partition);
    long away = world.chance(4) ? world.between(0, 20_000) : world.between(0, 2_000);
    world.after(away, () -> takeOver(partition));
  }

  private void leftBehind(Instance dead, int partition) {
    Committed last = committed.get(partition);
    if (plan.variant() == Variant.ROWS_WITHOUT_OFFSET) {
      committed.set(partition, new Committed(dead.rows(), last.position()));
    } else if (plan.variant() == Variant.OFFSET_WITHOUT_ROWS) {
      committed.set(partition, new Committed(last.rows(), dead.position()));
    }
  }

  /** Another instance takes over while the old one still believes that it is in charge. */
  void depose(int partition) {
    Instance zombie = leaders.get(partition);
    if (!zombie.dead()) {
      world.note(zombie.name, "becomes a zombie at", zombie.position());
      zombie.haunt();
      takeOver(partition);
    }
  }

  /** The instance hangs for a while and then goes on. */
  void pause(int partition, long ms) {
    world.note(leaders.get(partition).name, "hangs for", ms);
    leaders.get(partition).pause(ms);
  }

  private void takeOver(int partition) {
    Instance next = open(partition);
    leaders.set(partition, next);
    next.wake();
  }

  /** Makes what the instance did final; false when another one has taken over. */
  boolean commit(Instance instance, Map<String, Online> told) {
    int p = instance.partition();
    if (leaders.get(p) != instance) {
      return false;
    }
    committed.set(p, new Committed(instance.rows().copy(), instance.position()));
    told.forEach(
        (user, online) -> presence.merge(user, online, (a, b) -> b.rev() >= a.rev() ? b : a));
    return true;
  }

  /** The newest committed presence records. */
  Map<String, Online> presence() {
    return presence;
  }

  /** The instances in charge; all of them alive once nothing goes wrong any more. */
  List<Instance> leaders() {
    return leaders;
  }

  World world() {
    return world;
  }

  Plan plan() {
    return plan;
  }

  SimLog log() {
    return log;
  }

  DeliveryLog deliveries() {
    return deliveries;
  }

  Ledger ledger() {
    return ledger;
  }
}
