package dev.holdfast.bench;

import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What idle connections cost one edge: live heap, resident memory, CPU of their heartbeats. */
@Command(
    name = "idle",
    description =
        "Bytes and CPU that an idle connection costs an edge. Each takes a file descriptor here and"
            + " one in the edge.")
final class IdleCommand implements Callable<Integer> {
  /** Clock ticks a second in /proc, as on every Linux that Java runs on. */
  private static final double TICKS = 100;

  @Option(names = "--connections", defaultValue = "10000")
  private int connections;

  @Option(names = "--heap", defaultValue = "1g", description = "the edge's -Xmx")
  private String heap = "";

  @Option(names = "--heartbeat-ms", defaultValue = "25000")
  private long heartbeatMs;

  @Option(names = "--seconds", defaultValue = "60", description = "of heartbeats to measure")
  private int seconds;

  @Option(names = "--edge-option", description = "passed to the edge")
  private List<String> edgeOptions = List.of();

  @Override
  public Integer call() throws Exception {
    int port = TestPorts.free();
    try (Cluster cluster =
            Cluster.start(
                ClusterSpec.named("bench-idle")
                    .withReplicas("a")
                    .withEdges(0)
                    .withSizes(new TopicSizes(6, 4, 1)));
        HoldfastProcess edge = edge(cluster, port);
        IdleCrowd crowd =
            new IdleCrowd(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), heartbeatMs)) {
      edge.awaitReady(Duration.ofSeconds(90));
      measure(edge.pid(), crowd);
    }
    return 0;
  }

  private HoldfastProcess edge(Cluster cluster, int port) {
    List<String> args =
        new ArrayList<>(
            List.of(
                "edge",
                "--bootstrap",
                cluster.bootstrap(),
                "--port",
                Integer.toString(port),
                "--edge-id",
                "idle-edge",
                "--heartbeat-ms",
                Long.toString(heartbeatMs),
                "--trusted-cidr=127.0.0.0/8",
                "--connect-rate=off"));
    args.addAll(edgeOptions);
    return HoldfastProcess.start("bench-idle-edge", List.of("-XX:+UseG1GC", "-Xmx" + heap), args);
  }

  private void measure(long pid, IdleCrowd crowd) throws IOException, InterruptedException {
    crowd.connect(10); // what is made once is not counted
    long heapBefore = liveHeap(pid);
    long rssBefore = rss(pid);
    long began = System.nanoTime();
    crowd.connect(connections);
    System.out.printf(
        Locale.ROOT, "%s in %.1f s%n", crowd.text(), (System.nanoTime() - began) / 1e9);
    crowd.idle((int) (2 * heartbeatMs / 1_000));
    double cpu = cpuSeconds(pid);
    long pings = crowd.pings();
    crowd.idle(seconds);
    double used = cpuSeconds(pid) - cpu;
    System.out.printf(
        Locale.ROOT,
        "heartbeats: %d pings in %d s, %.2f s of CPU (%.1f %% of one core)%n",
        crowd.pings() - pings,
        seconds,
        used,
        100 * used / seconds);
    long heapAfter = liveHeap(pid);
    long rssAfter = rss(pid);
    int more = connections - 10;
    System.out.printf(
        Locale.ROOT,
        "live heap %d -> %d MiB: %d bytes a connection%nresident  %d -> %d MiB: %d bytes a connection%n",
        heapBefore >> 20,
        heapAfter >> 20,
        (heapAfter - heapBefore) / more,
        rssBefore >> 20,
        rssAfter >> 20,
        (rssAfter - rssBefore) / more);
    System.out.println(crowd.text());
  }

  /** Bytes of live objects, after the full collection that counting them takes. */
  private static long liveHeap(long pid) throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid),
                "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    String out = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = jcmd.waitFor();
    int total = out.lastIndexOf("Total");
    if (status != 0 || total < 0) {
      throw new IOException("jcmd gave " + status + ": " + out);
    }
    return Long.parseLong(out.substring(total).trim().split("\\s+", -1)[2]);
  }

  private static long rss(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    throw new IOException("no VmRSS");
  }

  private static double cpuSeconds(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS;
  }
}
