package dev.holdfast.standalone.broker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;

/** TCP ports that can be bound now. */
public final class Ports {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Ports() {}

  /**
   * A port that nobody listens on. Taken from below the range that the kernel hands to outgoing
   * connections (32768 on Linux): one from that range may be gone before it is bound, and a server
   * that restarts on it may find it taken by some client.
   */
  public static int free(String host) {
    return free(host, 20_000, 32_000);
  }

  /** A port of {@code from} to {@code to}, that one not included, that nobody listens on. */
  public static int free(String host, int from, int to) {
    for (int attempt = 0; attempt < 200; attempt++) {
      int port = from + RANDOM.nextInt(to - from);
      if (canBind(host, port)) {
        return port;
      }
    }
    throw new BrokerFailed("no free port between " + from + " and " + to + " on " + host);
  }

  /** Whether {@code port} can be bound now. */
  public static boolean canBind(String host, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true); // as Kafka does: a socket in TIME_WAIT is no obstacle
      socket.bind(new InetSocketAddress(host, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
