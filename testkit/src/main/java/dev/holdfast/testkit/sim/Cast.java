package dev.holdfast.testkit.sim;

import dev.holdfast.record.Event;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everybody who takes part in a run. */
final class Cast implements Network {
  private final World world;
  private final Plan plan;
  private final SimLog log;
  private final DeliveryLog deliveries;
  private final Ledger ledger;
  private final List<String> users = new ArrayList<>();
  private final List<Application> applications = new ArrayList<>();
  private final List<SimEdge> edges = new ArrayList<>();
  private final List<SimClient> clients = new ArrayList<>();

  Cast(World world, Plan plan) {
    this.world = world;
    this.plan = plan;
    this.log = new SimLog(world, plan.partitions());
    this.deliveries = new DeliveryLog(plan.deliveryPartitions());
    this.ledger = new Ledger(Math.min(plan.rules().dedupWindowMs(), plan.next().dedupWindowMs()));
    for (int p = 0; p < plan.partitions(); p++) {
      log.append(p, "", new Event.RulesChange(plan.rules()));
    }
    applications.add(new Application("a", world, plan, log, deliveries, ledger, null));
    if (plan.pair()) {
      applications.add(new Application("b", world, plan, log, deliveries, ledger, null));
    }
    if (plan.late() != Plan.Late.NONE) {
      world.after(plan.lateAtMs(), this::startLate);
    }
    for (int e = 0; e < plan.edges(); e++) {
      edges.add(new SimEdge("edge-" + e, world, plan, log, deliveries));
    }
    for (int u = 0; u < plan.users(); u++) {
      users.add("u" + u);
      for (int c = 0; c < plan.clientsPerUser(); c++) {
        clients.add(new SimClient("u" + u, "c" + c, world, this, ledger));
      }
    }
    clients.forEach(SimClient::start);
  }

  private void startLate() {
    Application from = plan.late() == Plan.Late.FROM_COPY ? applications.get(0) : null;
    world.note("a late application starts", plan.late());
    applications.add(new Application("late", world, plan, log, deliveries, ledger, from));
  }

  @Override
  public @Nullable SimEdge anyEdge() {
    SimEdge edge = edges.get(world.random.nextInt(edges.size()));
    return edge.running() ? edge : null;
  }

  @Override
  public boolean nobodyIsDropped() {
    return plan.clientsPerUser()
        <= Math.min(plan.rules().clientsPerUser(), plan.next().clientsPerUser());
  }

  /** The edge dies; a new one of the same name starts after a while. */
  void crashEdge(int index) {
    SimEdge old = edges.get(index);
    if (!old.crashed()) {
      old.crash();
      world.after(world.between(10, 30_000), () -> restartEdge(index));
    }
  }

  private void restartEdge(int index) {
    edges.set(index, new SimEdge(edges.get(index).id, world, plan, log, deliveries));
  }

  SimLog log() {
    return log;
  }

  Ledger ledger() {
    return ledger;
  }

  List<String> users() {
    return users;
  }

  List<Application> applications() {
    return applications;
  }

  List<SimEdge> edges() {
    return edges;
  }

  List<SimClient> clients() {
    return clients;
  }
}
