package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.edge.TestLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Many hostile clients against a real server (R-6.4): whatever they send, it ends every connection,
 * forgets every session, gives back every byte, logs no error, and serves the next client. A
 * failure names its seed; add it to {@code fuzz-seeds.txt}. {@code -Dfuzz.clients=N} tries more,
 * {@code -Dfuzz.seed=N} begins elsewhere.
 */
@Timeout(300)
class HostileFuzzTest {
  private static final int AT_ONCE = 16;
  private static final int CLIENTS = Integer.getInteger("fuzz.clients", 800);
  private static final int BATCH = 100;

  private final TestServer server = new TestServer(TestLimits.impatient());
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final ExecutorService attackers = Executors.newFixedThreadPool(AT_ONCE);
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  @BeforeEach
  void listen() {
    logged.start();
    root.addAppender(logged);
  }

  @AfterEach
  void stop() {
    attackers.shutdownNow();
    root.detachAppender(logged);
    server.close();
  }

  @Test
  void seedsThatOnceFailed() throws Exception {
    List<Long> seeds = new ArrayList<>();
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("/fuzz-seeds.txt"))) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line -> seeds.add(Long.parseLong(line.strip())));
    }
    assertThat(seeds).isNotEmpty();
    attack(seeds);
  }

  @Test
  void newSeeds() throws Exception {
    long first = Long.getLong("fuzz.seed", System.nanoTime());
    System.out.println("fuzz: seeds " + first + " to " + (first + CLIENTS - 1));
    for (int from = 0; from < CLIENTS; from += BATCH) {
      List<Long> seeds = new ArrayList<>();
      for (int i = from; i < Math.min(CLIENTS, from + BATCH); i++) {
        seeds.add(first + i);
      }
      attack(seeds);
    }
  }

  private void attack(List<Long> seeds) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    for (long seed : seeds) {
      running.add(attackers.submit(() -> one(seed)));
    }
    for (Future<?> one : running) {
      one.get();
    }
    String batch = "seeds " + seeds.get(0) + " to " + seeds.get(seeds.size() - 1);
    try (RawClient next = RawClient.hello(server.port(), "next")) {
      next.text("ping");
      assertThat(next.next()).as(batch).isEqualTo("pong");
    }
    server.awaitQuiet();
    assertThat(logged.list)
        .as(batch)
        .filteredOn(e -> e.getLevel().isGreaterOrEqual(Level.ERROR))
        .isEmpty();
    awaitNoSockets(batch);
  }

  private Void one(long seed) throws IOException {
    Random random = new Random(seed);
    FuzzedInput input = new FuzzedInput(random);
    try (RawClient client = RawClient.connect(server.port())) {
      send(client, input.bytes(), random);
      switch (random.nextInt(4)) {
        case 0 -> client.socket().setSoLinger(true, 0);
        case 1 -> client.socket().close();
        default -> {
          // Keeps its side open where a time-out must end it; an HTTP connection without a request
          // under way may stay for a minute.
          if (!input.upgrades() || random.nextBoolean()) {
            client.socket().shutdownOutput();
          }
          assertThat(client.ends()).as("seed %s: the server ends it", seed).isTrue();
        }
      }
    } catch (java.net.SocketException e) {
      assertThat(String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT))
          .as("seed %s", seed)
          .containsAnyOf("reset", "broken pipe", "closed");
    }
    return null;
  }

  /** Whole, or in pieces so that reads end in the middle of heads. */
  private static void send(RawClient client, byte[] input, Random random) throws IOException {
    int piece = random.nextBoolean() ? input.length : 1 + random.nextInt(300);
    for (int from = 0; from < input.length; from += piece) {
      client.raw(Arrays.copyOfRange(input, from, Math.min(input.length, from + piece)));
    }
  }

  /** Asks the kernel: no connection to the server is open on its side. */
  private void awaitNoSockets(String batch) throws Exception {
    assumeThat(Path.of("/proc/net/tcp")).exists();
    long end = TestServer.nowMs() + 10_000;
    while (openSockets() > 0 && TestServer.nowMs() < end) {
      Thread.sleep(20);
    }
    assertThat(openSockets()).as("%s: sockets left open", batch).isZero();
  }

  private long openSockets() throws IOException {
    String port = String.format(Locale.ROOT, ":%04X", server.port());
    long open = 0;
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      if (Files.exists(Path.of(table))) {
        open +=
            Files.readAllLines(Path.of(table)).stream()
                .map(line -> line.trim().split("\\s+", -1))
                .filter(columns -> columns.length > 3 && columns[1].endsWith(port))
                .filter(columns -> columns[3].equals("01") || columns[3].equals("08"))
                .count();
      }
    }
    return open;
  }
}
