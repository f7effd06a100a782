package dev.holdfast.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Events of channels to many subscribers: how many deliveries a second, and how late. */
@Command(
    name = "fanout",
    description =
        "Deliveries a second to the subscribers of one channel, and of many channels with one"
            + " subscriber each, by events that are written straight to Kafka.")
final class FanoutCommand implements Callable<Integer> {
  private static final int BISECTIONS = 3;
  private static final double STEP = 1.5;
  private static final int DRAIN_S = 15;

  @Option(
      names = "--subscribers",
      split = ",",
      defaultValue = "1000,10000",
      description = "of one channel; a run each; 0: none")
  private List<Integer> subscribers = List.of();

  @Option(
      names = "--channels",
      defaultValue = "1000",
      description = "with one subscriber each; 0: none")
  private int channels;

  @Option(
      names = "--rates",
      split = ",",
      description = "deliveries a second; absent: the highest is looked for")
  private List<Integer> rates = List.of();

  @Option(names = "--start", defaultValue = "60000", description = "where the search begins")
  private int start;

  @Option(names = "--p99-ms", defaultValue = "200", description = "what the search allows")
  private double mostP99Ms;

  @Option(names = "--seconds", defaultValue = "4", description = "of each rate")
  private int seconds;

  @Option(names = "--warm-up", defaultValue = "8", description = "seconds, before each run")
  private int warmUp;

  @Option(names = "--payload", defaultValue = "512", description = "bytes")
  private int payload;

  @Option(names = "--partitions", defaultValue = "4")
  private int partitions;

  @Option(names = "--edge-jvm", description = "flag of the edge's JVM")
  private List<String> edgeJvm = List.of();

  @Option(names = "--edge-option", description = "passed to the edge")
  private List<String> edgeOptions = List.of();

  /** Channels with so many subscribers each. */
  private record Shape(int channels, int each) {
    int connections() {
      return channels * each;
    }

    byte[] key(long n) {
      return ("c" + n % channels).getBytes(StandardCharsets.US_ASCII);
    }

    List<Listener.Wish> wishes() {
      List<Listener.Wish> wishes = new ArrayList<>();
      for (int i = 0; i < connections(); i++) {
        String channel = ChannelBench.PREFIX + ":c" + i % channels;
        wishes.add(new Listener.Wish("user" + i, channel, "", 0));
      }
      return wishes;
    }
  }

  @Override
  public Integer call() throws Exception {
    System.out.println(ChannelBench.machine() + "; payloads of " + payload + " bytes");
    try (ChannelBench bench = new ChannelBench(edgeJvm, edgeOptions, "off");
        ChannelSource source =
            new ChannelSource(bench.bootstrap(), ChannelBench.PREFIX, partitions, payload)) {
      for (int each : subscribers) {
        if (each == 0) {
          continue;
        }
        run(bench, source, new Shape(1, each));
      }
      if (channels > 0) {
        run(bench, source, new Shape(channels, 1));
      }
    }
    return 0;
  }

  private void run(ChannelBench bench, ChannelSource source, Shape shape)
      throws IOException, InterruptedException {
    try (Audience audience = new Audience(bench.address(), payload, 500, false)) {
      audience.open(shape.wishes());
      audience.await("subscribed", 60, () -> audience.subscribed() == shape.connections());
      System.out.println(shape.channels + " channels x " + shape.each + " subscribers");
      Cpu cpu = bench.cpu().part("receiving", audience::cpuSeconds);
      Trial trial = new Trial(source, shape, audience, cpu);
      boolean unused = trial.passes(start, warmUp, "warm-up");
      if (rates.isEmpty()) {
        search(trial);
      } else {
        for (int rate : rates) {
          boolean unusedToo = trial.passes(rate, seconds, "");
        }
      }
    }
  }

  private void search(Trial trial) throws InterruptedException {
    double good = 0;
    double bad = start;
    while (trial.passes(bad, seconds, "")) {
      good = bad;
      bad *= STEP;
    }
    for (int i = 0; i < BISECTIONS; i++) {
      double between = (good + bad) / 2;
      if (trial.passes(between, seconds, "")) {
        good = between;
      } else {
        bad = between;
      }
    }
    System.out.printf(
        Locale.ROOT, "  highest with p99 below %.0f ms: %.0f deliveries/s%n", mostP99Ms, good);
  }

  /** One audience at one rate after the other. */
  private final class Trial {
    private final ChannelSource source;
    private final Shape shape;
    private final Audience audience;
    private final Cpu cpu;

    Trial(ChannelSource source, Shape shape, Audience audience, Cpu cpu) {
      this.source = source;
      this.shape = shape;
      this.audience = audience;
      this.cpu = cpu;
    }

    /** Whether all of it came in time. */
    boolean passes(double deliveries, int forSeconds, String note) throws InterruptedException {
      long before = audience.events();
      long endedBefore = audience.ended();
      audience.latency().reset();
      cpu.reset();
      double perSecond = deliveries / shape.each;
      long count = Math.round(perSecond * forSeconds);
      long began = System.nanoTime();
      Pace.run(perSecond, count, (n, due) -> source.send(shape.key(n), due));
      source.flush();
      String used = cpu.text();
      long expected = count * shape.each;
      boolean all = drained(before + expected, endedBefore);
      long came = audience.events() - before;
      double took = (audience.lastEventNanos() - began) / 1e9;
      long lost = audience.ended() - endedBefore;
      System.out.printf(
          Locale.ROOT,
          "  %7.0f/s offered, %7.0f/s came%s, %s; CPU %s %s%n",
          deliveries,
          came / took,
          all ? "" : ", " + (expected - came) + " missing, " + lost + " connections ended",
          audience.latency().text(),
          used,
          note);
      boolean passed = all && audience.latency().p99Ms() < mostP99Ms;
      if (lost > 0) {
        audience.reopen();
        audience.await("back", 60, () -> audience.subscribed() == shape.connections());
      }
      return passed;
    }

    /** Waits for all that is expected, and no longer than something comes. */
    private boolean drained(long expected, long endedBefore) throws InterruptedException {
      long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_S);
      while (audience.events() < expected && System.nanoTime() < until) {
        long quietNanos = System.nanoTime() - audience.lastEventNanos();
        if (audience.ended() > endedBefore && quietNanos > TimeUnit.SECONDS.toNanos(1)) {
          return false;
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
      return audience.events() >= expected;
    }
  }
}
