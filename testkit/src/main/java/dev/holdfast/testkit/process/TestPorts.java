package dev.holdfast.testkit.process;

import dev.holdfast.standalone.broker.Ports;

/**
 * TCP ports for processes that are started later. Test JVMs that run at the same time have ranges
 * of their own, which is also not the one that {@code holdfast dev} chooses from: until a port is
 * bound nobody else must be given it.
 */
public final class TestPorts {
  private static final String HOST = "127.0.0.1";
  private static final int SPAN = 2_500;

  /** Beginning with 1; see the pom. */
  private static final int FORK = Integer.getInteger("holdfast.fork", 1);

  private static final int FIRST = 10_000 + (FORK - 1) % 4 * SPAN;

  private TestPorts() {}

  /** A port of 127.0.0.1 that nobody listens on. */
  public static int free() {
    return Ports.free(HOST, FIRST, FIRST + SPAN);
  }

  /** The first of two such ports that follow each other. */
  public static int two() {
    int port = free();
    while (!Ports.canBind(HOST, port + 1)) {
      port = free();
    }
    return port;
  }
}
