package dev.holdfast.testkit.sim;

import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.EventSink;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * An edge's way to the log: one bounded queue, one producer, records in order. It may stall, and it
 * may be told that records were refused that the log has all the same.
 */
final class SimProducer implements EventSink {
  private static final int ROOM = 200;

  private record Job(List<String> users, Event event, @Nullable Outcome outcome) {}

  private final World world;
  private final SimLog log;
  private final EdgeIdentity identity;
  private final SimEdge edge;
  private final SimRosters rosters = new SimRosters();
  private final Liveness liveness = new Liveness();
  private final Queue<Job> queue = new ArrayDeque<>();
  private long stalledUntil;
  private boolean scheduled;

  SimProducer(World world, SimLog log, EdgeIdentity identity, SimEdge edge) {
    this.world = world;
    this.log = log;
    this.identity = identity;
    this.edge = edge;
  }

  @Override
  public boolean offer(List<String> users, Event event, @Nullable Outcome outcome) {
    boolean always = event instanceof Event.Disconnect;
    if (!always && (queue.size() >= ROOM || world.fault(300))) {
      return false;
    }
    queue.add(new Job(users, event, outcome));
    wake();
    return true;
  }

  @Override
  public void forget(String user, String connId, EdgeRef of) {
    // Behind what is queued, as a job of its own would be.
    world.after(
        Math.max(0, stalledUntil - world.now()) + 3,
        () -> rosters.gone(log.home(user), of, connId));
  }

  @Override
  public void rosterWanted(int partition) {
    rosters.wanted(partition, identity.current(), world.now());
  }

  /** What this edge's connections may count on. */
  Liveness liveness() {
    return liveness;
  }

  /** Sends nothing for a while; what is offered waits. */
  void stall(long ms) {
    stalledUntil = world.now() + ms;
  }

  /** Everything that waits is refused; the log has the first part of it nevertheless. */
  void refuseAll() {
    if (!edge.running()) {
      return;
    }
    long kept = world.between(0, queue.size());
    while (!queue.isEmpty()) {
      Job job = queue.remove();
      append(job, kept-- > 0);
      Outcome outcome = job.outcome();
      if (outcome != null) {
        // At once: what is offered later must not overtake it.
        edge.run(() -> outcome.done(false));
      }
    }
  }

  void rosters() {
    if (world.now() >= stalledUntil && queue.isEmpty()) {
      for (SimRosters.Due due : rosters.due(world.now())) {
        log.append(due.partition(), "", due.roster());
        liveness.roster(due.partition(), due.roster().edge(), world.now());
      }
    }
  }

  void wake() {
    if (!scheduled && !queue.isEmpty() && edge.running()) {
      scheduled = true;
      world.after(Math.max(0, stalledUntil - world.now()) + world.between(0, 1), this::send);
    }
  }

  private void send() {
    scheduled = false;
    if (world.now() < stalledUntil || !edge.running()) {
      wake();
      return;
    }
    Job job = queue.poll();
    if (job != null) {
      append(job, true);
      answer(job);
      wake();
    }
  }

  private void append(Job job, boolean reallyStored) {
    for (String user : job.users()) {
      int partition = log.home(user);
      Event event = job.event();
      if (event instanceof Event.Connect c) {
        rosters.connected(partition, user, c, world.now());
      } else if (event instanceof Event.Disconnect d) {
        rosters.gone(partition, d.edge(), d.connId());
      }
      if (reallyStored) {
        log.append(partition, user, event);
        if (event instanceof Event.Connect c) {
          liveness.connect(partition, c.edge(), c.connId(), world.now());
        }
        if (world.fault(200) && mayRepeat(event)) {
          world.after(world.between(0, 3_000), () -> log.append(partition, user, event));
        }
      }
    }
  }

  /** A repeat of a connect that names no attempt is a new connect, by the contract. */
  private static boolean mayRepeat(Event event) {
    return !(event instanceof Event.Connect c) || c.attempt() != null;
  }

  private void answer(Job job) {
    Outcome outcome = job.outcome();
    if (outcome != null) {
      world.after(world.between(1, 2), () -> edge.run(() -> outcome.done(true)));
    }
  }
}
