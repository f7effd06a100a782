package dev.holdfast.standalone.broker;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker with its controller in this process, its log under a directory that later starts
 * continue, on whatever port.
 *
 * <p>One at a time in a process: Kafka's hook for fatal errors is static (see {@link KafkaExit}).
 */
public final class EmbeddedBroker implements AutoCloseable {
  /** Kafka leaves it behind when it stops in order, and takes it away at the next start. */
  private static final String CLEAN_END = ".kafka_cleanshutdown";

  private final Path dataDir;
  private final String host;
  private final int port;
  private final Map<String, String> extra;
  private final CompletableFuture<String> fatal = new CompletableFuture<>();
  private @Nullable DataLock lock;
  private @Nullable KafkaRaftServer server;

  /**
   * @param dataDir where the log lies; made and formatted when new
   * @param host address to bind to and to advertise
   * @param port 0 picks a free one
   * @param extra broker properties, which win over the defaults
   */
  public EmbeddedBroker(Path dataDir, String host, int port, Map<String, String> extra) {
    this.dataDir = dataDir.toAbsolutePath().normalize();
    this.host = host;
    this.port = port == 0 ? Ports.free(host) : port;
    this.extra = Map.copyOf(extra);
  }

  /**
   * Returns when clients can connect.
   *
   * @throws BrokerFailed with a reason that an operator can act on
   */
  public synchronized void start() {
    lock = DataLock.take(dataDir, "holdfast broker");
    try {
      if (!Ports.canBind(host, port)) {
        throw new BrokerFailed(
            "port "
                + port
                + " on "
                + host
                + " is taken or not of this machine; stop the program that listens there, or give"
                + " another port for the broker");
      }
      Path logDir = dataDir.resolve("log");
      boolean afterCrash =
          Files.exists(logDir.resolve("meta.properties"))
              && !Files.exists(logDir.resolve(CLEAN_END));
      format(logDir);
      launch(logDir, afterCrash);
    } catch (BrokerFailed e) {
      close();
      throw e;
    }
  }

  private void launch(Path logDir, boolean afterCrash) {
    KafkaExit.divertTo(fatal);
    Properties settings =
        BrokerSettings.of(logDir, host, port, Ports.free("127.0.0.1"), afterCrash, extra);
    try {
      KafkaRaftServer starting =
          new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
      server = starting;
      starting.startup();
    } catch (BrokerFailed e) {
      throw e;
    } catch (Throwable e) {
      throw new BrokerFailed("the broker cannot start on " + dataDir + ": " + e.getMessage(), e);
    }
  }

  /** Formats what is not formatted; a directory that is keeps its cluster id. */
  private void format(Path logDir) {
    if (Files.exists(logDir.resolve("meta.properties"))) {
      return;
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
      Files.createDirectories(logDir);
      new Formatter()
          .setPrintStream(out)
          .setNodeId(BrokerSettings.NODE_ID)
          .setClusterId(Uuid.randomUuid().toString())
          .addDirectory(logDir.toString())
          .setMetadataLogDirectory(logDir.toString())
          .setControllerListenerName("CONTROLLER")
          .setReleaseVersion(MetadataVersion.latestProduction())
          .setIgnoreFormatted(true)
          .run();
    } catch (Exception e) {
      throw new BrokerFailed(
          "cannot format "
              + logDir
              + " for Kafka: "
              + e
              + " "
              + said.toString(StandardCharsets.UTF_8),
          e);
    }
  }

  /** The {@code bootstrap.servers} of clients. */
  public String bootstrap() {
    return host + ":" + port;
  }

  /** Completes with the reason when Kafka gives up after it was started. */
  public CompletableFuture<String> fatal() {
    return fatal;
  }

  /** Stops in order, after a start that is under way, and lets the directory go. */
  @Override
  public synchronized void close() {
    KafkaRaftServer running = server;
    server = null;
    if (running != null) {
      running.shutdown();
      running.awaitShutdown();
    }
    DataLock held = lock;
    lock = null;
    if (held != null) {
      held.close();
    }
  }
}
