package dev.holdfast.testkit.sim;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.rules.Proposals;
import dev.holdfast.delivery.rules.Quiet;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.record.Delivery;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One instance's work on one partition: reads the log, applies the rules to rows of its own, emits
 * at once, commits from time to time. What it emitted and did not flush dies with it.
 */
final class Instance implements Effects {
  /** Milliseconds that a proposer's clock may be wrong: some hours. */
  private static final long MAX_WRONG_MS = 10_000_000;

  final String name;
  private final Application app;
  private final World world;
  private final int partition;
  private final MemoryRows rows;
  private final DeliveryRules rules;
  private final Proposals proposals;
  private final MailboxCheck check;
  private final HistoryCheck history;
  private final TimelyCheck timely;
  private final Shell shell;
  private final Source source;
  private final Deque<Delivery> unflushed = new ArrayDeque<>();
  private final Map<String, Application.Online> untold = new HashMap<>();
  private final long skewMs;
  private final long wrongByMs;
  private final Quiet quiet;
  private boolean dead;
  private boolean scheduled;
  private boolean dirty;
  private long pausedUntil;
  private int hauntsLeft = -1;
  private LogPosition at;

  Instance(String name, int partition, MemoryRows rows, long position, Application app) {
    this.name = name;
    this.app = app;
    this.world = app.world();
    this.partition = partition;
    this.rows = rows;
    this.rules = new DeliveryRules(rows, this, app.plan().partitions());
    this.proposals = new Proposals(rows);
    this.check = new MailboxCheck(rows, app.ledger());
    this.history = new HistoryCheck(rows, app.ledger(), name);
    this.timely = new TimelyCheck(rows);
    this.shell = new Shell(rows, rules, app.log(), app.plan().variant());
    this.source = Source.of(app.plan().variant(), app.log(), partition, position, world);
    this.skewMs = world.between(-200, 200);
    this.wrongByMs = world.chance(3) ? world.between(-MAX_WRONG_MS, MAX_WRONG_MS) : 0;
    long before = world.now() - app.plan().quietMs();
    this.quiet = new Quiet(rows, rules.applied(), app.log().end(partition), before);
    this.at = new LogPosition(partition, position - 1, 0);
  }

  void start() {
    world.after(world.between(0, 1_000), this::tick);
    world.after(world.between(20, 300), this::commitTick);
  }

  int partition() {
    return partition;
  }

  MemoryRows rows() {
    return rows;
  }

  /** Offset of the next record. */
  long position() {
    return source.position();
  }

  boolean dead() {
    return dead;
  }

  /** Whether all of the log is applied and committed. */
  boolean idle() {
    return !dead && !dirty && source.peek() == null;
  }

  void pause(long ms) {
    pausedUntil = world.now() + ms;
  }

  /** From now on it cannot commit, without knowing it; it goes on for a little. */
  void haunt() {
    hauntsLeft = (int) world.between(0, 40);
    if (world.chance(2)) {
      pause(world.between(0, 5_000));
    }
    world.after(world.between(0, 15_000), this::die);
  }

  void die() {
    dead = true;
    for (long n = world.between(0, unflushed.size()); n > 0; n--) {
      app.deliveries().append(unflushed.remove());
    }
    unflushed.clear();
  }

  void wake() {
    if (!scheduled && !dead && source.peek() != null) {
      scheduled = true;
      long rest = Math.max(0, pausedUntil - world.now());
      world.after(rest + world.between(0, 2), this::work);
    }
  }

  private void work() {
    scheduled = false;
    if (dead || world.now() < pausedUntil) {
      wake();
      return;
    }
    for (long n = world.between(1, 4); (n > 0 || source.unsettled()) && !dead; n--) {
      SimLog.Entry next = source.peek();
      if (next == null || hauntsLeft == 0) {
        break;
      }
      hauntsLeft -= hauntsLeft > 0 ? 1 : 0;
      source.take();
      apply(next);
    }
    if (world.chance(2)) {
      flush();
    }
    wake();
  }

  private void apply(SimLog.Entry entry) {
    dirty = true;
    at = source.position(entry, skewMs);
    if (quiet.endsAt(at) && app.plan().variant() != Variant.QUIET_FOR_GOOD) {
      rules.announce();
    }
    history.asked(entry.event());
    timely.before(entry);
    // As the shell does it: acknowledged before it goes on, under an id that a repeat shares.
    shell.apply(entry, at, copy -> app.log().move(entry, copy));
    timely.after(entry, rules.rules());
    if (entry.event().keyed()) {
      check.afterStep(entry.user());
    } else if (world.chance(4)) {
      Users.of(rows).forEach(check::afterStep);
    }
    if (world.chance(200)) {
      Users.of(rows).forEach(check::whole);
    }
  }

  private void flush() {
    while (!dead && !unflushed.isEmpty()) {
      app.deliveries().append(unflushed.remove());
    }
  }

  private void commitTick() {
    if (dead) {
      return;
    }
    world.after(world.between(20, 300), this::commitTick);
    if (world.now() >= pausedUntil && dirty) {
      commit();
    }
  }

  private void commit() {
    flush();
    if (app.commit(this, untold)) {
      dirty = false;
      untold.clear();
    } else {
      die();
    }
  }

  private void tick() {
    if (dead) {
      return;
    }
    world.after(1_000, this::tick);
    if (world.now() < pausedUntil) {
      return;
    }
    for (Proposals.Proposal p : proposals.due(clock(), rules.rules())) {
      long delay = world.fault(5) ? world.between(0, 15_000) : world.between(1, 4);
      world.after(delay, () -> propose(p));
      if (world.fault(5)) {
        world.after(world.between(0, 15_000), () -> propose(p));
      }
    }
  }

  /** Some clocks are wrong by hours until somebody puts them right. */
  private long clock() {
    return app.log().now() + skewMs + (world.faults() ? wrongByMs : 0);
  }

  private void propose(Proposals.Proposal p) {
    String user = p.user() == null ? "" : p.user();
    if (app.plan().variant() == Variant.PROPOSERS_STAMP) {
      app.log().appendStamped(partition, user, p.event(), clock());
    } else {
      app.log().append(partition, user, p.event());
    }
  }

  @Override
  public void deliver(Delivery delivery) {
    if (delivery.kind() == Delivery.Kind.MESSAGE) {
      byte @Nullable [] box = rows.get(Keys.mailbox(delivery.user()));
      String epoch = box == null ? "?" : new RowReader(box).text();
      Ledger.Line line = new Ledger.Line(delivery.user(), epoch);
      long seq = delivery.seq();
      for (byte[] frame : ServerFrame.each(delivery.value().utf8())) {
        app.ledger().names(line, seq++, ServerFrame.message(frame), name);
      }
    }
    if (delivery.kind() == Delivery.Kind.HISTORY) {
      history.answered(delivery);
    }
    if (!quiet.holds()) {
      unflushed.add(delivery);
    } else if (delivery.kind() == Delivery.Kind.CLOSE) {
      app.deliveries().keptBack(delivery.connId());
    }
  }

  @Override
  public void presence(String user, RawJson record) {
    untold.put(user, new Application.Online(at.offset(), at.timestamp(), record));
  }

  @Override
  public void deadLetter(String reason, String detail) {
    throw new Violation("a dead letter: " + reason + ", " + detail);
  }

  @Override
  public void repeat() {}

  @Override
  public String toString() {
    return name + (dead ? " dead" : "") + (dirty ? " uncommitted" : "") + " at " + position();
  }
}
