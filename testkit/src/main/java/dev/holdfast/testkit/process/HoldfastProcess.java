package dev.holdfast.testkit.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The command line in a JVM of its own, on this JVM's class path. What it writes goes to a file
 * under {@code target/process-logs}: the first start of a name in this JVM begins it anew, so that
 * nothing of an older build is in it, and later ones continue it.
 */
public final class HoldfastProcess implements AutoCloseable {
  private static final Path LOGS = Path.of("target", "process-logs");

  /** These live for a minute or two: the optimising compiler would cost more than it gives. */
  public static final List<String> SMALL_JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m");

  private static final int TAIL_LINES = 40;

  /** Names that were started in this JVM. */
  private static final Set<String> STARTED = ConcurrentHashMap.newKeySet();

  private final String name;
  private final Path log;
  private final long logFrom;
  private final Process process;
  private final Thread killer;
  private final List<String> saidBeforeReady = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();

  private HoldfastProcess(String name, Path log, long logFrom, Process process) {
    this.name = name;
    this.log = log;
    this.logFrom = logFrom;
    this.process = process;
    this.killer = new Thread(process::destroyForcibly);
  }

  /** Starts with the flags of a small JVM. */
  public static HoldfastProcess start(String name, List<String> args) {
    return start(name, SMALL_JVM, args);
  }

  /** Starts {@code args} of the command line; returns at once, see {@link #awaitReady}. */
  public static HoldfastProcess start(String name, List<String> jvmFlags, List<String> args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmFlags);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), "dev.holdfast.standalone.Main"));
    command.addAll(args);
    try {
      Files.createDirectories(LOGS);
      Path log = LOGS.resolve(name + ".log");
      if (STARTED.add(name)) {
        Files.deleteIfExists(log);
      }
      long logFrom = Files.exists(log) ? Files.size(log) : 0;
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      HoldfastProcess started = new HoldfastProcess(name, log, logFrom, process);
      Runtime.getRuntime().addShutdownHook(started.killer);
      Thread reader = new Thread(() -> started.read(args), "log-of-" + name);
      reader.setDaemon(true);
      reader.start();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + name, e);
    }
  }

  private void read(List<String> args) {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8);
        BufferedWriter out =
            Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      out.write("--- pid " + process.pid() + ": " + String.join(" ", args) + "\n");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.write(line);
        out.write('\n');
        out.flush();
        if (line.equals("ready")) {
          ready.complete(null);
        } else if (!ready.isDone()) {
          saidBeforeReady.add(line);
        }
      }
    } catch (IOException e) {
      ready.completeExceptionally(e); // the pipe of a killed process may end so
    }
    ready.completeExceptionally(
        new IllegalStateException(name + " ended before it was ready:\n" + tail()));
  }

  /** Writes {@code text} to its standard input and ends that. */
  public void feed(String text) {
    try (BufferedWriter in = process.outputWriter(StandardCharsets.UTF_8)) {
      in.write(text);
    } catch (IOException e) {
      throw new UncheckedIOException(name + " does not read its input", e);
    }
  }

  /** Waits for {@code ready} on its output; fails with the end of its log when it does not come. */
  public HoldfastProcess awaitReady(Duration timeout) throws InterruptedException {
    try {
      ready.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return this;
    } catch (ExecutionException e) {
      throw new IllegalStateException(String.valueOf(e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          name + " is not ready after " + timeout.toSeconds() + " s:\n" + tail(), e);
    }
  }

  /** Completes with {@code ready}; fails when the process ends before. */
  public CompletableFuture<Void> ready() {
    return ready.copy();
  }

  /** The rest of the first line that began with {@code prefix} before it was ready. */
  public Optional<String> said(String prefix) {
    return saidBeforeReady.stream()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()).strip())
        .findFirst();
  }

  /** The last lines of its log since this start. */
  public String tail() {
    try (InputStream in = Files.newInputStream(log)) {
      in.skipNBytes(logFrom);
      List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    } catch (IOException e) {
      return "no log: " + e;
    }
  }

  /** The file with its log, and with those of earlier starts of its name in this JVM. */
  public Path log() {
    return log;
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** SIGKILL, also of a paused one; returns when it is gone. */
  public void kill9() throws InterruptedException {
    process.destroyForcibly().waitFor();
    forgetKiller();
  }

  /** SIGTERM; returns the exit status, or fails after the time and kills it. */
  public int terminate(Duration timeout) throws InterruptedException {
    process.destroy();
    return awaitExit(timeout);
  }

  /** Waits for an end that somebody else caused. */
  public int awaitExit(Duration timeout) throws InterruptedException {
    if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      kill9();
      throw new IllegalStateException(
          name + " did not end within " + timeout.toSeconds() + " s:\n" + tail());
    }
    forgetKiller();
    return process.exitValue();
  }

  /** SIGSTOP: the process stands still until {@link #resume}. */
  public void pause() throws InterruptedException {
    signal("STOP");
  }

  /** SIGCONT. */
  public void resume() throws InterruptedException {
    signal("CONT");
  }

  /** Sends a signal by its name, like {@code TERM}, and does not wait for what it does. */
  public void signal(String signal) throws InterruptedException {
    try {
      int status =
          new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
      if (status != 0) {
        throw new IllegalStateException("kill -" + signal + " " + name + " gave " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void forgetKiller() {
    try {
      Runtime.getRuntime().removeShutdownHook(killer);
    } catch (IllegalStateException e) {
      // this JVM is ending and runs the hook anyway
      return;
    }
  }

  @Override
  public void close() {
    try {
      kill9();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return name + " (pid " + process.pid() + ")";
  }
}
