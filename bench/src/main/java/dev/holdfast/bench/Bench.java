package dev.holdfast.bench;

import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench latency | resume | throughput | idle | slow-reader | fanout | channel-resume |
 * presence}: starts its own processes and prints figures.
 */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    subcommands = {
      IdleCommand.class,
      SlowReaderCommand.class,
      FanoutCommand.class,
      ChannelResumeCommand.class,
      PresenceCommand.class
    },
    description = "Measures the pipeline with processes of its own on this machine.")
public final class Bench {
  @Option(
      names = "--replicas",
      split = ",",
      defaultValue = "a",
      description = "streams instances, by replica (default: a)")
  private List<String> replicas = List.of();

  @Option(names = "--partitions", defaultValue = "6", description = "of events (default: 6)")
  private int partitions;

  @Option(
      names = "--streams-option",
      description = "passed to each streams process, like --kafka.commit.interval.ms=500")
  private List<String> streamsOptions = List.of();

  private Bench() {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new Bench()).execute(args));
  }

  @Option(names = "--one-process", description = "use `holdfast dev` instead of five processes")
  private boolean oneProcess;

  @Option(
      names = "--edges",
      split = ",",
      description = "WebSocket URLs of edges that run already; needs --bootstrap too")
  private List<URI> edges = List.of();

  @Option(names = "--bootstrap", description = "Kafka of the edges named with --edges")
  private @Nullable String bootstrap;

  private Target start() throws InterruptedException {
    if (bootstrap != null && !edges.isEmpty()) {
      return new Target(bootstrap, edges, () -> {});
    }
    if (oneProcess) {
      return Target.dev();
    }
    Cluster cluster =
        Cluster.start(
            ClusterSpec.named("bench")
                .withReplicas(replicas.toArray(String[]::new))
                .withStreamsOptions(streamsOptions.toArray(String[]::new))
                .withSizes(new TopicSizes(partitions, 4, 1)));
    return Target.of(cluster);
  }

  @Command(name = "latency", description = "Send to receive, beside the floor, in one run.")
  int latency(
      @Option(names = "--clients", defaultValue = "1000") int clients,
      @Option(names = "--rates", split = ",", defaultValue = "200,2000,8000") List<Integer> rates,
      @Option(names = "--seconds", defaultValue = "20") int seconds,
      @Option(names = "--warm-up", defaultValue = "40") int warmUp)
      throws InterruptedException {
    Figures figures = new Figures();
    try (Target cluster = start();
        Floor floor = new Floor(cluster.bootstrap());
        Crowd crowd = new Crowd()) {
      crowd.connect(
          cluster.edgeUris(), "user", clients, 100, (client, seq, due) -> figures.since(due));
      AtomicLong ids = new AtomicLong();
      Random random = new Random(1);
      System.out.println("warming up for " + warmUp + " s at 2000/s");
      send(crowd, random, ids, 2_000, warmUp);
      String unused = floor.run(2_000, 5);
      for (int rate : rates) {
        System.out.println(rate + "/s floor    " + floor.run(rate, seconds));
        figures.reset();
        send(crowd, random, ids, rate, seconds);
        awaitCount(figures, (long) rate * seconds);
        System.out.println(rate + "/s holdfast " + figures.text());
      }
    }
    return 0;
  }

  private static void send(Crowd crowd, Random random, AtomicLong ids, int rate, int seconds) {
    List<LoadClient> all = crowd.clients();
    Pace.run(
        rate,
        seconds,
        (n, due) -> {
          LoadClient from = all.get(random.nextInt(all.size()));
          LoadClient to = all.get(random.nextInt(all.size()));
          from.message(to.user, ids.incrementAndGet(), Payload.with(due));
        });
  }

  private static void awaitCount(Figures figures, long count) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (figures.count() < count && System.nanoTime() < until) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  @Command(name = "throughput", description = "Messages a second that one streams thread sustains.")
  int throughput(
      @Option(names = "--users", defaultValue = "1000") int users,
      @Option(names = "--messages", defaultValue = "1500000") int messages)
      throws InterruptedException {
    try (Cluster cluster =
        Cluster.start(
            ClusterSpec.named("bench")
                .withReplicas("a")
                .withEdges(0)
                .withSizes(new TopicSizes(partitions, 4, 1))
                .withStreamsOptions("--standbys", "0"))) {
      new Throughput(cluster).run(users, messages);
    }
    return 0;
  }

  @Command(
      name = "resume",
      description = "One client with a backlog, then many at once, from hello to sync.")
  int resume(
      @Option(names = "--backlog", defaultValue = "500") int backlog,
      @Option(names = "--clients", defaultValue = "1000") int clients,
      @Option(names = "--missed", defaultValue = "50") int missed,
      @Option(names = "--rounds", defaultValue = "30") int rounds)
      throws InterruptedException {
    try (Target cluster = start();
        Crowd crowd = new Crowd()) {
      fill(cluster, "solo", 1, backlog);
      fill(cluster, "many", clients, missed);
      single(cluster, crowd, rounds, backlog);
      for (int round = 0; round < rounds / 5; round++) {
        together(cluster, crowd, clients, missed);
      }
    }
    return 0;
  }

  private static void fill(Target cluster, String prefix, int users, int each)
      throws InterruptedException {
    try (Crowd senders = new Crowd()) {
      senders.connect(cluster.edgeUris(), prefix + "-sender", 4, 4, (c, seq, due) -> {});
      AtomicLong ids = new AtomicLong();
      int total = users * each;
      Pace.run(
          5_000,
          Math.max(1, total / 5_000 + 1),
          (n, due) -> {
            if (n < total) {
              senders
                  .clients()
                  .get((int) (n % 4))
                  .message(prefix + n % users, ids.incrementAndGet(), Payload.with(due));
            }
          });
      // A message to a sender itself comes back behind all it has sent to that partition's users;
      // waiting for every mailbox would measure itself, so give the pipeline a moment.
      TimeUnit.SECONDS.sleep(5);
    }
  }

  private static void single(Target cluster, Crowd crowd, int rounds, int backlog)
      throws InterruptedException {
    Phases phases = new Phases();
    for (int round = 0; round < rounds; round++) {
      if (round == rounds / 2) {
        phases = new Phases();
      }
      resumeAll(cluster, crowd, "solo", 1, backlog, phases);
    }
    System.out.println("1 x " + backlog + " missed");
    phases.print();
  }

  private static void together(Target cluster, Crowd crowd, int clients, int missed)
      throws InterruptedException {
    Phases phases = new Phases();
    resumeAll(cluster, crowd, "many", clients, missed, phases);
    System.out.println(clients + " x " + missed + " missed at once");
    phases.print();
  }

  /** How long each part of a resume took. */
  private record Phases(Figures open, Figures welcome, Figures sync, Figures all) {
    Phases() {
      this(new Figures(), new Figures(), new Figures(), new Figures());
    }

    void print() {
      System.out.println("  connect to open     " + open.text());
      System.out.println("  hello to welcome    " + welcome.text());
      System.out.println("  hello to sync       " + sync.text());
      System.out.println("  connect to sync     " + all.text());
    }
  }

  private static void resumeAll(
      Target cluster, Crowd crowd, String prefix, int clients, int missed, Phases phases)
      throws InterruptedException {
    AtomicLongArray began = new AtomicLongArray(clients);
    AtomicLongArray hello = new AtomicLongArray(clients);
    AtomicLong synced = new AtomicLong();
    AtomicLong received = new AtomicLong();
    List<URI> edges = cluster.edgeUris();
    List<java.util.concurrent.CompletableFuture<LoadClient>> all = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      int n = i;
      began.set(n, System.nanoTime());
      all.add(
          LoadClient.connect(
              crowd.http(),
              edges.get(n % edges.size()),
              prefix + n,
              0,
              new LoadClient.Listener() {
                @Override
                public void message(LoadClient client, long seq, long due) {
                  received.incrementAndGet();
                }

                @Override
                public void opened(LoadClient client) {
                  phases.open.since(began.get(n));
                  hello.set(n, System.nanoTime());
                }

                @Override
                public void welcomed(LoadClient client) {
                  phases.welcome.since(hello.get(n));
                }

                @Override
                public void synced(LoadClient client) {
                  phases.sync.since(hello.get(n));
                  phases.all.since(began.get(n));
                  synced.incrementAndGet();
                }
              }));
    }
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (synced.get() < clients && System.nanoTime() < until) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    if (received.get() != (long) clients * missed) {
      System.out.println("received " + received.get() + " of " + (long) clients * missed);
    }
    all.forEach(f -> f.thenAccept(LoadClient::abort).join());
    TimeUnit.MILLISECONDS.sleep(200);
  }
}
