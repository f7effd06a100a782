package dev.holdfast.testkit.it;

import dev.holdfast.testkit.process.FlakyProxy;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * An edge that reaches the broker by a listener of its own, which is advertised under a proxy's
 * port, so the proxy holds that edge's traffic and nobody else's.
 */
final class ProxiedEdge implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final HoldfastProcess process;
  private final int port;

  private ProxiedEdge(HoldfastProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Options of a broker: its own listeners, written out, and one more. */
  static String[] listeners(int via, int advertised) {
    int controller = TestPorts.free();
    String own = "PLAINTEXT://" + HOST + ":{port}";
    return new String[] {
      "--kafka.listeners="
          + own
          + (",VIA://" + HOST + ":" + via)
          + (",CONTROLLER://" + HOST + ":" + controller),
      "--kafka.advertised.listeners=" + own + ",VIA://" + HOST + ":" + advertised,
      "--kafka.listener.security.protocol.map="
          + "PLAINTEXT:PLAINTEXT,VIA:PLAINTEXT,CONTROLLER:PLAINTEXT",
      "--kafka.controller.quorum.voters=1@" + HOST + ":" + controller
    };
  }

  /** Starts {@code edge-2} and waits until it is ready. */
  static ProxiedEdge start(FlakyProxy proxy, String logName) throws InterruptedException {
    int port = TestPorts.free();
    HoldfastProcess process =
        HoldfastProcess.start(
            logName,
            List.of(
                "edge",
                "--bootstrap",
                HOST + ":" + proxy.port(),
                "--port",
                Integer.toString(port),
                "--edge-id",
                "edge-2"));
    return new ProxiedEdge(process.awaitReady(Duration.ofMinutes(1)), port);
  }

  URI uri() {
    return URI.create("ws://" + HOST + ":" + port + "/v1/ws");
  }

  String http() {
    return "http://" + HOST + ":" + port;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() {
    process.close();
  }
}
