package dev.holdfast.testkit.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * nginx or HAProxy with one of the documented configurations, which listen on 127.0.0.1:8000 and
 * have one edge, 127.0.0.1:8080; both are replaced.
 */
public final class ProxyProcess implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final long START_MS = 10_000;

  private final Process process;
  private final Path output;
  private final int port;

  private ProxyProcess(Process process, Path output, int port) {
    this.process = process;
    this.output = output;
    this.port = port;
  }

  /** Where {@code program} is, also in the directories for administrators; empty when nowhere. */
  public static Optional<Path> find(String program) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.concat(
            Stream.of(path.split(File.pathSeparator, -1)),
            Stream.of("/usr/sbin", "/usr/local/sbin"))
        .map(dir -> Path.of(dir, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts nginx in the foreground and waits until it listens. */
  public static ProxyProcess nginx(Path program, Path configuration, int edgePort)
      throws InterruptedException {
    return start(
        List.of(program.toString(), "-e", "stderr", "-g", "daemon off; pid {dir}/pid;", "-c"),
        configuration,
        edgePort);
  }

  /** Starts HAProxy in the foreground and waits until it listens. */
  public static ProxyProcess haproxy(Path program, Path configuration, int edgePort)
      throws InterruptedException {
    return start(List.of(program.toString(), "-db", "-f"), configuration, edgePort);
  }

  private static ProxyProcess start(List<String> command, Path configuration, int edgePort)
      throws InterruptedException {
    int port = TestPorts.free();
    try {
      Path dir = Files.createTempDirectory("holdfast-proxy-");
      Path own = dir.resolve(configuration.getFileName());
      String text = Files.readString(configuration);
      for (String address : List.of(HOST + ":8000", HOST + ":8080")) {
        if (!text.contains(address)) {
          throw new IllegalStateException(configuration + " does not name " + address);
        }
      }
      Files.writeString(
          own,
          text.replace(HOST + ":8080", HOST + ":" + edgePort)
              .replace(HOST + ":8000", HOST + ":" + port));
      List<String> all = new ArrayList<>();
      command.forEach(word -> all.add(word.replace("{dir}", dir.toString())));
      all.add(own.toString());
      Path output = dir.resolve("output");
      Process process =
          new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(output.toFile()).start();
      ProxyProcess started = new ProxyProcess(process, output, port);
      started.awaitListening();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitListening() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MS);
    while (process.isAlive() && System.nanoTime() < end) {
      try (Socket open = new Socket(InetAddress.getLoopbackAddress(), port)) {
        if (open.isConnected()) {
          return;
        }
      } catch (IOException e) {
        TimeUnit.MILLISECONDS.sleep(20); // it does not listen yet
      }
    }
    close();
    throw new IllegalStateException("the proxy does not listen: " + Files.readString(output));
  }

  /** Where it listens on 127.0.0.1. */
  public int port() {
    return port;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
