package dev.holdfast.bench;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What is measured: where Kafka is, where the edges are, and how to end it. */
record Target(String bootstrap, List<URI> edgeUris, Runnable end) implements AutoCloseable {

  /** Five processes. */
  static Target of(Cluster cluster) {
    return new Target(cluster.bootstrap(), cluster.edgeUris(), cluster::close);
  }

  /** {@code holdfast dev}: everything in one process. */
  static Target dev() throws InterruptedException {
    Path data;
    try {
      data = Files.createTempDirectory("holdfast-bench-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int port = TestPorts.two();
    int broker = TestPorts.free();
    HoldfastProcess process =
        HoldfastProcess.start(
                "bench-dev",
                List.of("-Xmx1g"),
                List.of(
                    "dev",
                    "--port",
                    Integer.toString(port),
                    "--broker-port",
                    Integer.toString(broker),
                    "--data",
                    data.toString()))
            .awaitReady(Duration.ofSeconds(90));
    return new Target(
        "127.0.0.1:" + broker,
        List.of(edge(port), edge(port + 1)),
        () -> {
          process.close();
          delete(data);
        });
  }

  private static URI edge(int port) {
    return URI.create("ws://127.0.0.1:" + port + "/v1/ws");
  }

  private static void delete(Path dir) {
    try (Stream<Path> files = Files.walk(dir)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + dir, e);
    }
  }

  @Override
  public void close() {
    end.run();
  }
}
