package dev.holdfast.bench;

import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Latency of many clients without and with one beside them that has stopped reading. */
@Command(
    name = "slow-reader",
    description = "p99 of clients without and with a reader that stops, in one run.")
final class SlowReaderCommand implements Callable<Integer> {
  private static final int LARGE = 16 * 1024;
  private static final int LARGE_EVERY = 10;

  @Option(names = "--clients", defaultValue = "1000")
  private int clients;

  @Option(names = "--rate", defaultValue = "500", description = "messages a second to all of them")
  private int rate;

  @Option(names = "--seconds", defaultValue = "20")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "3", description = "of without, with")
  private int rounds;

  private final AtomicLong ids = new AtomicLong();

  @Override
  public Integer call() throws Exception {
    Figures figures = new Figures();
    try (Cluster cluster =
            Cluster.start(
                ClusterSpec.named("bench-slow")
                    .withReplicas("a")
                    .withEdges(1)
                    .withSizes(new TopicSizes(6, 4, 1)));
        Crowd crowd = new Crowd()) {
      crowd.connect(
          cluster.edgeUris(), "user", clients, 100, (client, seq, due) -> figures.since(due));
      send(crowd, "", 30);
      for (int round = 1; round <= rounds; round++) {
        double without = measure(figures, crowd, "");
        String name = "stuck" + round;
        try (Socket stuck = stuck(cluster.edgeUri(0), name)) {
          double with = measure(figures, crowd, name);
          System.out.printf(
              Locale.ROOT,
              "round %d: p99 %.2f ms without, %.2f ms with (%s): ratio %.2f%n",
              round,
              without,
              with,
              stuck.isConnected() ? "a stuck reader" : "none",
              with / without);
        }
      }
    }
    return 0;
  }

  private double measure(Figures figures, Crowd crowd, String stuck) throws InterruptedException {
    figures.reset();
    send(crowd, stuck, seconds);
    TimeUnit.SECONDS.sleep(2);
    System.out.println((stuck.isEmpty() ? "without " : "with    ") + figures.text());
    return figures.p99Ms();
  }

  /** One in ten messages is large and goes to the one that does not read. */
  private void send(Crowd crowd, String stuck, int seconds) {
    List<LoadClient> all = crowd.clients();
    Random random = new Random(1);
    String large = "\"" + "x".repeat(LARGE) + "\"";
    Pace.run(
        rate,
        seconds,
        (n, due) -> {
          LoadClient from = all.get(random.nextInt(all.size()));
          LoadClient to = all.get(random.nextInt(all.size()));
          from.message(to.user, ids.incrementAndGet(), Payload.with(due));
          if (!stuck.isEmpty() && n % LARGE_EVERY == 0) {
            from.message(stuck, ids.incrementAndGet(), large);
          }
        });
  }

  private static Socket stuck(URI edge, String name) throws IOException {
    Socket socket = new Socket(edge.getHost(), edge.getPort());
    byte[] hello =
        ("{\"type\":\"hello\",\"clientId\":\"" + name + "\",\"lastSeq\":0}")
            .getBytes(StandardCharsets.US_ASCII);
    String head =
        "GET /v1/ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    // A mask of zeros leaves the text as it is.
    socket
        .getOutputStream()
        .write(new byte[] {(byte) 0x81, (byte) (0x80 | hello.length), 0, 0, 0, 0});
    socket.getOutputStream().write(hello);
    return socket;
  }
}
