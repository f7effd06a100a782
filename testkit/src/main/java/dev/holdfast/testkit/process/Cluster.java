package dev.holdfast.testkit.process;

import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.record.Rules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A broker, streams instances and edges, a process each, on free ports of loopback. */
public final class Cluster implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final String[] UNLIMITED = {
    "--trusted-cidr=127.0.0.0/8",
    "--connect-rate=off",
    "--connect-rate-user=off",
    "--history-rate=off",
    "--frame-rate=off",
    "--byte-rate=off",
    "--max-awaiting-hello=0"
  };

  private final Path dir;
  private final String bootstrap;
  private final Node broker;
  private final List<Node> streams = new ArrayList<>();
  private final List<Node> edges = new ArrayList<>();
  private final List<Integer> edgePorts = new ArrayList<>();
  private final List<Integer> healthPorts = new ArrayList<>();

  private Cluster(ClusterSpec spec, Path dir) {
    this.dir = dir;
    int brokerPort = TestPorts.free();
    this.bootstrap = HOST + ":" + brokerPort;
    List<String> args =
        args(
            spec.brokerOptions().stream()
                .map(option -> option.replace("{port}", String.valueOf(brokerPort)))
                .toList(),
            "broker",
            "--port",
            String.valueOf(brokerPort),
            "--data",
            dir.resolve("broker").toString());
    this.broker = new Node(spec.name() + "-broker", spec.jvmFlags(), args);
    for (String replica : spec.replicas()) {
      addStreams(spec, replica);
    }
    for (int i = 0; i < spec.edges(); i++) {
      addEdge(spec);
    }
  }

  private void addStreams(ClusterSpec spec, String replica) {
    int port = TestPorts.free();
    healthPorts.add(port);
    String name = "streams-" + replica + "-" + streams.size();
    List<String> args =
        args(
            spec.streamsOptions(),
            "streams",
            "--bootstrap",
            bootstrap,
            "--data",
            dir.resolve(name).toString(),
            "--port",
            String.valueOf(port),
            "--replica",
            replica);
    streams.add(new Node(spec.name() + "-" + name, spec.jvmFlags(), args));
  }

  private void addEdge(ClusterSpec spec) {
    int port = TestPorts.free();
    edgePorts.add(port);
    String id = "edge-" + (edges.size() + 1);
    List<String> args =
        args(
            spec.edgeOptions(),
            "edge",
            "--bootstrap",
            bootstrap,
            "--port",
            String.valueOf(port),
            "--edge-id",
            id);
    // All clients come from this machine and in numbers; a test of the limits names its own.
    if (spec.edgeOptions().stream().noneMatch(option -> option.startsWith("--trusted-cidr"))) {
      args = args(List.of(UNLIMITED), args.toArray(String[]::new));
    }
    edges.add(new Node(spec.name() + "-" + id, spec.jvmFlags(), args));
  }

  private static List<String> args(List<String> more, String... args) {
    return Stream.concat(Stream.of(args), more.stream()).toList();
  }

  /** Starts everything and returns when all of it is ready. */
  public static Cluster start(ClusterSpec spec) throws InterruptedException {
    Cluster cluster;
    try {
      cluster = new Cluster(spec, Files.createTempDirectory("holdfast-" + spec.name() + "-"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      cluster.startAll(spec);
      return cluster;
    } catch (RuntimeException | InterruptedException e) {
      cluster.close();
      throw e;
    }
  }

  private void startAll(ClusterSpec spec) throws InterruptedException {
    broker.start();
    try (TopicsAdmin admin = new TopicsAdmin(bootstrap, Map.of())) {
      admin.awaitBroker(Duration.ofSeconds(60));
      admin.init(spec.sizes());
      Rules rules = admin.rulesOf();
      Rules changed = spec.rules().apply(rules);
      if (!changed.equals(rules)) {
        admin.setRules(changed);
      }
    }
    List<Node> rest = Stream.concat(streams.stream(), edges.stream()).toList();
    rest.forEach(Node::launch);
    for (Node node : rest) {
      node.awaitReady();
    }
  }

  public String bootstrap() {
    return bootstrap;
  }

  public Node broker() {
    return broker;
  }

  /** In the order of {@link ClusterSpec#replicas}. */
  public Node streams(int index) {
    return streams.get(index);
  }

  public Node edge(int index) {
    return edges.get(index);
  }

  /** The WebSocket address of an edge, the same after a restart. */
  public URI edgeUri(int index) {
    return URI.create("ws://" + HOST + ":" + edgePorts.get(index) + "/v1/ws");
  }

  public List<URI> edgeUris() {
    return Stream.iterate(0, i -> i + 1).limit(edges.size()).map(this::edgeUri).toList();
  }

  /** {@code http://host:port} of an edge. */
  public String edgeHttp(int index) {
    return "http://" + HOST + ":" + edgePorts.get(index);
  }

  /** {@code http://host:port} of a streams instance's health. */
  public String streamsHttp(int index) {
    return "http://" + HOST + ":" + healthPorts.get(index);
  }

  /** Where the processes keep their data; deleted by {@link #close}. */
  public Path dir() {
    return dir;
  }

  /** Kills all that still runs and deletes its data; the logs stay. */
  @Override
  public void close() {
    for (Node node : Stream.concat(edges.stream(), streams.stream()).toList()) {
      node.close();
    }
    broker.close();
    try (Stream<Path> files = Files.walk(dir)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + dir, e);
    }
  }
}
