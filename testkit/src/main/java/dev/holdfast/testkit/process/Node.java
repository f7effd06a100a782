package dev.holdfast.testkit.process;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One member of a {@link Cluster}: keeps its arguments, so also data and port, over restarts. */
public final class Node implements AutoCloseable {
  private static final Duration READY = Duration.ofSeconds(90);
  private static final Duration END = Duration.ofSeconds(40);

  private final String name;
  private final List<String> jvmFlags;
  private final List<String> args;
  private @Nullable HoldfastProcess process;

  Node(String name, List<String> jvmFlags, List<String> args) {
    this.name = name;
    this.jvmFlags = jvmFlags;
    this.args = List.copyOf(args);
  }

  /** Starts without waiting. */
  public synchronized Node launch() {
    if (process != null && process.isAlive()) {
      throw new IllegalStateException(name + " runs already");
    }
    process = HoldfastProcess.start(name, jvmFlags, args);
    return this;
  }

  public Node awaitReady() throws InterruptedException {
    process().awaitReady(READY);
    return this;
  }

  /** Starts and waits until it is ready. */
  public Node start() throws InterruptedException {
    return launch().awaitReady();
  }

  public void kill9() throws InterruptedException {
    process().kill9();
  }

  /** SIGTERM and wait; returns the exit status. */
  public int terminate() throws InterruptedException {
    return process().terminate(END);
  }

  public void pause() throws InterruptedException {
    process().pause();
  }

  public void resume() throws InterruptedException {
    process().resume();
  }

  public synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  public synchronized HoldfastProcess process() {
    if (process == null) {
      throw new IllegalStateException(name + " was never started");
    }
    return process;
  }

  public String name() {
    return name;
  }

  @Override
  public synchronized void close() {
    if (process != null) {
      process.close();
    }
  }
}
