package dev.holdfast.bench;

import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.record.Rules;
import dev.holdfast.record.RulesCodec;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How late somebody on another edge is told that a user has come or gone. */
@Command(
    name = "presence",
    description =
        "Users come and go on one edge, one after the other, and are watched on another: from the"
            + " hello until a watcher has the frame that says online, and from the end of the"
            + " connection until the one that says offline, less the delay of a leave.")
final class PresenceCommand implements Callable<Integer> {
  private static final int PATIENCE_S = 30;

  /** Users that one frame asks for. */
  private static final int AT_ONCE = 100;

  @Option(names = "--changes", defaultValue = "300", description = "of each kind")
  private int changes;

  @Option(names = "--warm-up", defaultValue = "100", description = "changes before that")
  private int warmUp;

  @Option(names = "--watchers", defaultValue = "1", description = "who each watch all users")
  private int watchers;

  @Option(
      names = "--leave-delay-ms",
      defaultValue = "1000",
      description = "the rule leaveDelayMs; the least is what makes the leaves go fastest")
  private long leaveDelayMs;

  @Option(
      names = "--pause-ms",
      defaultValue = "20",
      description = "from one change to the next, at least")
  private long pauseMs;

  private final Figures online = new Figures();
  private final Figures offline = new Figures();
  private final Map<String, Long> came = new ConcurrentHashMap<>();
  private final Map<String, Long> gone = new ConcurrentHashMap<>();

  /** What watchers have still to be told. */
  private final Phaser pending = new Phaser(1);

  @Override
  public Integer call() throws Exception {
    System.out.println(
        Runtime.getRuntime().availableProcessors()
            + " cores for everything: broker, streams, two edges, and this process");
    try (Cluster cluster =
            Cluster.start(
                ClusterSpec.named("bench-presence")
                    .withReplicas("a")
                    .withEdges(2)
                    .withRules(this::leave)
                    .withSizes(new TopicSizes(6, 4, 1)));
        Crowd crowd = new Crowd()) {
      List<String> users = new ArrayList<>();
      for (int n = 0; n < warmUp + changes; n++) {
        users.add("user" + n);
      }
      watch(cluster, crowd, users);
      change(cluster.edgeUri(0), crowd, users.subList(0, warmUp));
      online.reset();
      offline.reset();
      change(cluster.edgeUri(0), crowd, users.subList(warmUp, users.size()));
      System.out.println("hello to online:           " + online.text());
      System.out.println("end to offline, less " + leaveDelayMs + ": " + offline.text());
    }
    return 0;
  }

  private Rules leave(Rules rules) {
    Map<String, Long> map = new HashMap<>(RulesCodec.toMap(rules));
    map.put("leaveDelayMs", leaveDelayMs);
    return RulesCodec.fromMap(map);
  }

  /** Every watcher is told of every user once before anything changes. */
  private void watch(Cluster cluster, Crowd crowd, List<String> users)
      throws InterruptedException, TimeoutException {
    pending.bulkRegister(watchers * users.size());
    crowd.connect(List.of(cluster.edgeUri(1)), "watcher", watchers, 50, new Told());
    for (LoadClient watcher : crowd.clients()) {
      for (int from = 0; from < users.size(); from += AT_ONCE) {
        watcher.watch(users.subList(from, Math.min(users.size(), from + AT_ONCE)));
      }
    }
    await();
  }

  /** All come, one after the other, and then all go likewise. */
  private void change(URI edge, Crowd crowd, List<String> users) throws Exception {
    List<LoadClient> clients = new ArrayList<>();
    LoadClient.Listener hello =
        new LoadClient.Listener() {
          @Override
          public void message(LoadClient client, long seq, long dueNanos) {}

          @Override
          public void opened(LoadClient client) {
            came.put(client.user, System.nanoTime());
          }
        };
    for (String user : users) {
      pending.bulkRegister(watchers);
      clients.add(one(LoadClient.connect(crowd.http(), edge, user, 0, hello)));
      await();
      TimeUnit.MILLISECONDS.sleep(pauseMs);
    }
    pending.bulkRegister(watchers * clients.size());
    for (LoadClient client : clients) {
      gone.put(client.user, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(leaveDelayMs));
      client.abort();
      TimeUnit.MILLISECONDS.sleep(pauseMs);
    }
    await();
  }

  private static LoadClient one(java.util.concurrent.CompletableFuture<LoadClient> client)
      throws InterruptedException, ExecutionException, TimeoutException {
    return client.get(PATIENCE_S, TimeUnit.SECONDS);
  }

  private void await() throws InterruptedException, TimeoutException {
    int unused = pending.awaitAdvanceInterruptibly(pending.arrive(), PATIENCE_S, TimeUnit.SECONDS);
  }

  /** A watcher: of one change each of them has one frame. */
  private final class Told implements LoadClient.Listener {
    private final Map<String, Boolean> told = new ConcurrentHashMap<>();

    @Override
    public void message(LoadClient client, long seq, long dueNanos) {}

    @Override
    public void presence(LoadClient client, String frame) {
      int at = frame.indexOf("\"user\":\"") + 8;
      String user = frame.substring(at, frame.indexOf('"', at));
      boolean isOnline = frame.contains("\"status\":\"online\"");
      Boolean before = told.put(client.user + ' ' + user, isOnline);
      if (before != null && before == isOnline) {
        return; // another of his devices, or the same from the second replica
      }
      Long since = (isOnline ? came : gone).get(user);
      if (since != null) {
        (isOnline ? online : offline).since(since);
      }
      pending.arriveAndDeregister();
    }
  }
}
