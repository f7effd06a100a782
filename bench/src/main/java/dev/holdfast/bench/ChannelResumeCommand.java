package dev.holdfast.bench;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Thousands of subscribers that come back at once, and what another channel notices of it. */
@Command(
    name = "channel-resume",
    description =
        "Subscribers of channels are cut off, miss events and come back at once with their"
            + " positions: how long until all have what they missed, and how late another channel's"
            + " events are meanwhile. As many records go through a topic to a plain consumer here:"
            + " the floor, which says what the machine and the broker alone make of it.")
final class ChannelResumeCommand implements Callable<Integer> {
  private static final byte[] LIVE = "live".getBytes(StandardCharsets.US_ASCII);
  private static final int PATIENCE_S = 180;

  @Option(
      names = "--away",
      defaultValue = "10",
      description = "seconds from the cut to their return; the edge notices all of them meanwhile")
  private int away;

  @Option(names = "--subscribers", defaultValue = "10000")
  private int subscribers;

  @Option(names = "--channels", defaultValue = "100", description = "that they are spread over")
  private int channels;

  @Option(names = "--rate", defaultValue = "100", description = "events a second, of all channels")
  private int rate;

  @Option(
      names = "--behind",
      defaultValue = "60",
      description =
          "seconds of events that they miss; written at once when the edge has noticed, instead of"
              + " waited for")
  private int behind;

  @Option(names = "--live", defaultValue = "100", description = "subscribers of the other channel")
  private int live;

  @Option(
      names = "--live-rate",
      defaultValue = "50",
      description = "events a second of the other channel")
  private int liveRate;

  @Option(names = "--quiet", defaultValue = "10", description = "seconds, to compare with")
  private int quiet;

  @Option(
      names = "--partitions",
      defaultValue = "1",
      description = "of the topic; with one, the other channel lies in the same as theirs")
  private int partitions;

  @Option(names = "--payload", defaultValue = "512", description = "bytes")
  private int payload;

  @Option(
      names = "--at-once",
      defaultValue = "2000",
      description = "connections that may be on their way at once")
  private int atOnce;

  @Option(
      names = "--spread",
      defaultValue = "0",
      description = "seconds over which they come back; 0: as fast as they can")
  private int spread;

  @Option(
      names = "--rounds",
      defaultValue = "1",
      description = "all of it so often; from the second on the edge's code is compiled")
  private int rounds;

  @Option(
      names = "--connect-rate",
      defaultValue = "500:1000",
      description =
          "handshakes a second that the edge admits, and at once; the default is the edge's. Whom"
              + " it tells to come again comes again. off: all that come")
  private String connectRate = "";

  @Option(names = "--edge-jvm", description = "flag of the edge's JVM")
  private List<String> edgeJvm = List.of();

  @Option(names = "--edge-option", description = "passed to the edge")
  private List<String> edgeOptions = List.of();

  private volatile boolean over;

  @Override
  public Integer call() throws Exception {
    System.out.println(ChannelBench.machine() + "; payloads of " + payload + " bytes");
    try (ChannelBench bench = new ChannelBench(edgeJvm, edgeOptions, connectRate);
        ChannelSource source =
            new ChannelSource(bench.bootstrap(), ChannelBench.PREFIX, partitions, payload);
        Audience crowd = new Audience(bench.address(), payload, atOnce, true);
        Audience others = new Audience(bench.address(), payload, atOnce, false);
        Floor floor = new Floor(bench.bootstrap())) {
      crowd.open(wishes("user", channels, subscribers));
      others.open(wishes("other", 0, live));
      crowd.await("subscribed", PATIENCE_S, () -> crowd.subscribed() == subscribers);
      others.await("subscribed", PATIENCE_S, () -> others.subscribed() == live);
      Thread writer =
          new Thread(
              () ->
                  Pace.until(
                      liveRate,
                      n -> over,
                      (n, due) -> {
                        source.send(LIVE, due);
                        floor.send(due);
                      }));
      writer.start();
      try {
        for (int round = 0; round < rounds; round++) {
          measure(source, crowd, new Stage(others, floor, bench.cpu()));
        }
      } finally {
        over = true;
        writer.join();
      }
    }
    return 0;
  }

  private List<Listener.Wish> wishes(String user, int spread, int count) {
    List<Listener.Wish> wishes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String key = spread == 0 ? "live" : "c" + i % spread;
      wishes.add(new Listener.Wish(user + i, ChannelBench.PREFIX + ':' + key, "", 0));
    }
    return wishes;
  }

  /** What is measured in each part of the run. */
  private record Stage(Audience others, Floor floor, Cpu cpu) {
    void begin() {
      others.latency().reset();
      floor.latency().reset();
      cpu.reset();
    }

    /** Says how it was; returns the p99 of the live channel and of the floor. */
    double[] end(String name) {
      double[] p99 = {others.latency().p99Ms(), floor.latency().p99Ms()};
      System.out.printf("%-7s live  %s; CPU %s%n", name, others.latency().text(), cpu.text());
      System.out.printf("%-7s floor %s%n", "", floor.latency().text());
      return p99;
    }
  }

  private static String times(double[] quiet, double[] now) {
    return String.format(
        Locale.ROOT,
        "p99 of the live channel %.1f x the quiet one, of the floor %.1f x",
        now[0] / quiet[0],
        now[1] / quiet[1]);
  }

  private void measure(ChannelSource source, Audience crowd, Stage stage)
      throws InterruptedException {
    TimeUnit.SECONDS.sleep(5); // warms up
    stage.begin();
    TimeUnit.SECONDS.sleep(quiet);
    double[] quietly = stage.end("quiet:");
    int missed = rate * behind / channels;
    stage.begin();
    List<Listener.Wish> back = crowd.cut(missed);
    TimeUnit.SECONDS.sleep(away);
    System.out.println(times(quietly, stage.end("cut:")));
    for (int n = 0; n < missed * channels; n++) {
      source.send(("c" + n % channels).getBytes(StandardCharsets.US_ASCII), System.nanoTime());
    }
    source.flush();
    TimeUnit.SECONDS.sleep(1);
    long before = crowd.events();
    crowd.caughtUp().reset();
    stage.begin();
    long began = System.nanoTime();
    crowd.open(back, spread == 0 ? 0 : Math.max(1, subscribers / spread));
    crowd.await("caught up", PATIENCE_S, () -> crowd.caughtUp().count() == subscribers);
    double seconds = (System.nanoTime() - began) / 1e9;
    System.out.println(times(quietly, stage.end("resume:")));
    System.out.printf(
        Locale.ROOT,
        "%d subscribers of %d channels, %d events each missed: all have them after %.2f s (%.0f/s);"
            + " since the first came back: %s%n",
        subscribers,
        channels,
        missed,
        seconds,
        (double) subscribers * missed / seconds,
        crowd.caughtUp().text());
    TimeUnit.SECONDS.sleep(1);
    long came = crowd.events() - before;
    System.out.printf(
        Locale.ROOT, "%s; %d events came of %d%n", crowd.text(), came, (long) subscribers * missed);
  }
}
