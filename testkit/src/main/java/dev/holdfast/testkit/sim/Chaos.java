package dev.holdfast.testkit.sim;

import dev.holdfast.RawJson;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.ArrayList;
import java.util.List;

/** Traffic, and everything that goes wrong with it, until the faults are turned off. */
final class Chaos {
  private static final EdgeRef NOBODY = new EdgeRef("nobody", "i1", 0);

  private final World world;
  private final Plan plan;
  private final Cast cast;
  private int backendMessages;
  private int queries;

  Chaos(World world, Plan plan, Cast cast) {
    this.world = world;
    this.plan = plan;
    this.cast = cast;
  }

  void start() {
    for (SimClient client : cast.clients()) {
      traffic(client, world.between(400, 4_000));
    }
    often(800, 6_000, () -> backend(false));
    often(500, 8_000, () -> anyClient().cut(world.chance(2)));
    often(2_000, 30_000, () -> anyClient().slow(world.between(500, 20_000)));
    often(4_000, 30_000, this::leave);
    often(500, 10_000, () -> anyApplication().crash(anyPartition()));
    often(1_000, 15_000, () -> anyApplication().depose(anyPartition()));
    often(2_000, 30_000, () -> anyApplication().pause(anyPartition(), world.between(10, 15_000)));
    often(10_000, 60_000, () -> anyApplication().lose(anyPartition()));
    often(5_000, 40_000, () -> cast.crashEdge(anyEdgeIndex()));
    often(5_000, 40_000, this::pauseEdge);
    often(3_000, 30_000, () -> anyEdge().producer().stall(world.between(10, 20_000)));
    often(3_000, 30_000, () -> anyEdge().producer().refuseAll());
    often(10_000, 60_000, () -> anyEdge().renew());
    often(5_000, 30_000, () -> cast.log().newLeader(anyPartition()));
    often(5_000, 40_000, this::kick);
    often(200, 4_000, this::query);
    world.after(plan.chaosMs() / 2, this::newRules);
  }

  private void often(long least, long most, Runnable fault) {
    long pace = world.between(least, most);
    world.after(world.between(0, pace), () -> again(pace, fault));
  }

  private void again(long pace, Runnable fault) {
    if (world.faults()) {
      fault.run();
      world.after(world.between(1, 2 * pace), () -> again(pace, fault));
    }
  }

  private void traffic(SimClient client, long pace) {
    again(
        pace,
        () -> {
          List<String> to = new ArrayList<>(cast.users());
          for (long n = world.between(1, 3); to.size() > n; ) {
            to.remove(world.random.nextInt(to.size()));
          }
          client.send(List.copyOf(to));
        });
  }

  /** A backend writes to the log itself, now and then to the wrong partition. */
  void backend(boolean toEverybody) {
    for (String user : cast.users()) {
      if (toEverybody || world.chance(cast.users().size())) {
        String payload = "\"backend-" + ++backendMessages + '"';
        String id = world.chance(2) ? null : "b" + backendMessages;
        int home = cast.log().home(user);
        int partition = world.fault(3) ? anyPartition() : home;
        Event event = new Event.Message("backend", "", id, RawJson.of(payload));
        cast.log().append(partition, user, event);
        cast.ledger().accepted(payload, List.of(user));
      }
    }
  }

  /**
   * Everybody leaves and comes back when their edges have been silent for long enough to be
   * suspected once and not yet twice.
   */
  void ebb() {
    for (SimClient client : cast.clients()) {
      if (client.wanted()) {
        world.after(world.between(0, 2_000), () -> client.want(false));
        world.after(world.between(12_000, 22_000), () -> client.want(true));
      }
    }
  }

  private void leave() {
    SimClient client = anyClient();
    if (client.wanted()) {
      client.want(false);
      world.after(world.between(100, 60_000), () -> client.want(true));
    }
  }

  /** An operator, who by chance means one client; it comes back as any other. */
  private void kick() {
    SimClient client = anyClient();
    Event event = new Event.Kick(world.chance(2) ? client.clientId : null);
    cast.log().append(cast.log().home(client.user), client.user, event);
  }

  /**
   * Somebody reads a part of a mailbox; {@link HistoryCheck} judges what every instance answers.
   */
  private void query() {
    String user = anyClient().user;
    long after = world.chance(3) ? 0 : world.between(0, 60);
    int limit = (int) (world.chance(3) ? Event.Query.MAX_LIMIT : world.between(1, 20));
    String epoch = world.chance(8) ? "another" : null;
    Event event = new Event.Query("q" + ++queries, NOBODY, after, limit, epoch);
    cast.log().append(cast.log().home(user), user, event);
  }

  private void pauseEdge() {
    SimEdge edge = anyEdge();
    edge.pause();
    world.after(world.between(100, 40_000), edge::resume);
  }

  private void newRules() {
    for (int p = 0; p < plan.partitions(); p++) {
      int partition = p;
      Event event = new Event.RulesChange(plan.next());
      world.after(world.between(0, 1_000), () -> cast.log().append(partition, "", event));
    }
  }

  private SimClient anyClient() {
    return cast.clients().get(world.random.nextInt(cast.clients().size()));
  }

  private Application anyApplication() {
    return cast.applications().get(world.random.nextInt(cast.applications().size()));
  }

  private int anyPartition() {
    return world.random.nextInt(plan.partitions());
  }

  private int anyEdgeIndex() {
    return world.random.nextInt(cast.edges().size());
  }

  private SimEdge anyEdge() {
    return cast.edges().get(anyEdgeIndex());
  }
}
