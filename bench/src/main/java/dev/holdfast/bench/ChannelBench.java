package dev.holdfast.bench;

import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the benches of channels run against: broker, streams and one edge, a JVM each. */
final class ChannelBench implements AutoCloseable {
  /** The namespace, and its topic. */
  static final String PREFIX = "bench";

  private static final Duration READY = Duration.ofSeconds(90);
  private static final Duration END = Duration.ofSeconds(60);

  private final Cluster cluster;
  private final HoldfastProcess edge;
  private final InetSocketAddress address;

  /**
   * @param edgeJvm further flags of the edge's JVM
   * @param edgeOptions further options of the edge
   * @param connectRate handshakes that it admits, as {@code --connect-rate} of the edge
   */
  ChannelBench(List<String> edgeJvm, List<String> edgeOptions, String connectRate)
      throws InterruptedException {
    this.cluster =
        Cluster.start(
            ClusterSpec.named("bench-channels")
                .withReplicas("a")
                .withEdges(0)
                .withJvmFlags(List.of("-Xmx1g"))
                .withSizes(new TopicSizes(6, 4, 1)));
    int port = TestPorts.free();
    List<String> args =
        new ArrayList<>(
            List.of(
                "edge",
                "--bootstrap",
                cluster.bootstrap(),
                "--port",
                Integer.toString(port),
                "--edge-id",
                "bench-edge",
                "--namespace",
                PREFIX,
                "--heartbeat-ms=300000",
                "--trusted-cidr=127.0.0.0/8",
                "--connect-rate=" + connectRate,
                "--connect-rate-user=off",
                "--frame-rate=off",
                "--byte-rate=off",
                "--max-awaiting-hello=0"));
    args.addAll(edgeOptions);
    List<String> jvm = new ArrayList<>(List.of("-Xmx1g"));
    jvm.addAll(edgeJvm);
    this.edge = HoldfastProcess.start("bench-channels-edge", jvm, args);
    this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    edge.awaitReady(READY);
  }

  String bootstrap() {
    return cluster.bootstrap();
  }

  InetSocketAddress address() {
    return address;
  }

  /** Watches everything that runs. */
  Cpu cpu() {
    return new Cpu()
        .process("edge", edge.pid())
        .kernel("(kernel)", edge.pid())
        .process("broker", cluster.broker().process().pid())
        .process("streams", cluster.streams(0).process().pid())
        .process("bench", ProcessHandle.current().pid());
  }

  /** What shared the machine, for whoever reads the figures. */
  static String machine() {
    return Runtime.getRuntime().availableProcessors()
        + " cores for everything: edge, broker, streams, and this process, which writes the events"
        + " and receives them. CPU is in cores";
  }

  /** Ends all of it; the edge may finish what its JVM was told to write. */
  @Override
  public void close() {
    try {
      int unused = edge.terminate(END);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      edge.close();
      cluster.close();
    }
  }
}
