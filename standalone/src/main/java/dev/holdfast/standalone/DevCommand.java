package dev.holdfast.standalone;

import dev.holdfast.Limits;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.delivery.DeliveryConfig;
import dev.holdfast.delivery.source.SourceSpec;
import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.edge.EdgeConfig;
import dev.holdfast.edge.EdgeNode;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.drain.DrainConfig;
import dev.holdfast.standalone.broker.CoordinatorTopics;
import dev.holdfast.standalone.broker.DataLock;
import dev.holdfast.standalone.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "dev",
    description =
        "Runs everything in one process on loopback: a Kafka broker, the streams application and"
            + " edges, without authentication unless --auth jwt is given.")
final class DevCommand implements Callable<Integer> {
  private static final String HOST = "127.0.0.1";
  private static final int MOST_EDGES = 100;

  /**
   * Fewer partitions than in production: each costs start-up time and one machine has few cores.
   */
  private static final TopicSizes SIZES = new TopicSizes(6, 4, 1);

  @Mixin private AuthOptions auth = new AuthOptions();

  private AuthConfig access = AuthConfig.DEV;

  @Option(
      names = "--port",
      defaultValue = "8080",
      description =
          "Port of the first edge, the others follow; 0: each picks a free one."
              + " Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--edges",
      defaultValue = "2",
      description = "How many edges. Default: ${DEFAULT-VALUE}.")
  private int edges;

  @Option(
      names = "--data",
      defaultValue = ".holdfast/dev",
      paramLabel = "DIR",
      description =
          "Where everything is kept; continued when it exists. Default: ${DEFAULT-VALUE}.")
  private Path data = Path.of("");

  @Option(
      names = "--broker-port",
      defaultValue = "9092",
      description = "Port of the broker; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
  private int brokerPort;

  @Mixin private AdmissionOptions admission = new AdmissionOptions();
  @Mixin private TlsOptions tls = new TlsOptions();

  @Option(
      names = "--drain-seconds",
      defaultValue = "0",
      paramLabel = "N",
      description =
          "Seconds over which each edge closes its connections at the end, one edge after another;"
              + " 0: all at once. Default: ${DEFAULT-VALUE}.")
  private int drainSeconds;

  @Option(
      names = "--until-ready",
      hidden = true,
      description = "End when ready: the launcher records the classes that a start loads.")
  private boolean untilReady;

  @Mixin private PresenceOptions presence = new PresenceOptions();
  @Mixin private HeartbeatOptions heartbeat = new HeartbeatOptions();
  @Mixin private ChannelOptions channels = new ChannelOptions();
  @Mixin private SourceOptions sources = new SourceOptions();

  @Override
  public Integer call() throws Exception {
    OptionChecks.between("--edges", 1, MOST_EDGES, edges);
    OptionChecks.ports("--port", port, edges, "edges");
    OptionChecks.port("--broker-port", brokerPort);
    OptionChecks.directory("--data", data);
    access = auth.devConfig(HOST, port);
    var unusedSources = sources.specs();
    var unused = edges("not known yet"); // what is wrong with an option is told before all starts
    return untilReady ? Processes.runOnce(this::start) : Processes.run(this::start);
  }

  private DrainConfig drain() {
    return new DrainConfig(drainSeconds, HOST, -1);
  }

  private void start(Processes processes) throws Exception {
    DataLock lock = DataLock.take(data.toAbsolutePath().normalize(), "holdfast dev");
    processes.onEnd("data directory", lock);
    checkPorts();
    Thread warm = new Thread(DevCommand::loadClasses, "holdfast-warm");
    warm.setDaemon(true);
    warm.start();
    EmbeddedBroker broker = new EmbeddedBroker(data.resolve("broker"), HOST, brokerPort, Map.of());
    processes.onEnd("broker", broker);
    processes.failOn(broker.fatal());
    broker.start();
    try (TopicsAdmin admin = new TopicsAdmin(broker.bootstrap(), Map.of())) {
      admin.awaitBroker(Duration.ofSeconds(30));
      admin.init(SIZES);
    }
    CoordinatorTopics.makeMissing(broker.bootstrap());
    ChannelTopics.create(
        broker.bootstrap(),
        Map.of(),
        channels.namespaces(ChannelOptions.DEV),
        SIZES.deliveryPartitions(),
        1);
    SourceTopics.makeMissing(broker.bootstrap(), sources.specs());
    DevEdges started = new DevEdges(edges(broker.bootstrap()), processes);
    startTogether(started, broker.bootstrap(), processes);
    market(started, broker.bootstrap());
    for (DevEdge edge : started.all()) {
      String url = EdgeCommand.url(edge.config(), edge.port());
      System.out.println(edge.config().edgeId() + "  " + url);
    }
    System.out.println("kafka   " + broker.bootstrap());
    System.out.println("data    " + data);
    System.out.println("pages   " + DevEdges.http(started.all().get(0)) + "/");
  }

  /** Prices for the market's page, where its namespace is served. */
  private void market(DevEdges started, String bootstrap) {
    for (Namespace one : channels.namespaces(ChannelOptions.DEV).all()) {
      if (one.prefix().equals("ticks") && one.mode() == Mode.LATEST) {
        started.pages().market(bootstrap, one.topic());
      }
    }
  }

  private void checkPorts() {
    for (int i = 0; port != 0 && i < edges; i++) {
      OptionChecks.free("--port", HOST, port + i, "edge " + (i + 1));
    }
  }

  private List<EdgeConfig> edges(String bootstrap) {
    List<EdgeConfig> configs = new ArrayList<>();
    for (int i = 0; i < edges; i++) {
      configs.add(
          new EdgeConfig(
              bootstrap,
              HOST,
              port == 0 ? 0 : port + i,
              "edge-" + (i + 1),
              heartbeat.applyTo(admission.over(Limits.DEFAULT)),
              Map.of(),
              access,
              drain(),
              admission.over(AdmissionConfig.OPEN),
              tls.files(),
              channels.namespaces(ChannelOptions.DEV),
              channels.keptBytes(),
              presence.config()));
    }
    return configs;
  }

  /** The edges take connections and the streams application runs when this returns. */
  private void startTogether(DevEdges all, String bootstrap, Processes processes) throws Exception {
    ExecutorService starters = Executors.newFixedThreadPool(edges + 1);
    try {
      Future<?> streams = starters.submit(() -> startStreams(bootstrap, processes));
      List<Future<?>> starting = new ArrayList<>();
      for (DevEdge edge : all.all()) {
        starting.add(starters.submit(edge::start));
      }
      for (Future<?> one : starting) {
        one.get();
      }
      streams.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      starters.shutdown();
    }
  }

  private boolean startStreams(String bootstrap, Processes processes) throws Exception {
    DeliveryConfig streams =
        new DeliveryConfig(
            bootstrap, data.resolve("streams"), "a", 1, 0, "classic", HOST, -1, Map.of());
    FormerMembers.remove(bootstrap, streams.applicationId());
    for (SourceSpec source : sources.specs()) {
      FormerMembers.remove(bootstrap, source.group());
    }
    StreamsCommand.start(streams, sources.specs(), processes);
    return true;
  }

  /** Uses the second core while the broker starts on the first. */
  private static void loadClasses() {
    for (String name : WARMED) {
      try {
        Class.forName(name);
      } catch (ClassNotFoundException | LinkageError e) {
        return; // only a head start; the real use reports what is wrong
      }
    }
  }

  private static final List<String> WARMED =
      List.of(
          EdgeNode.class.getName(),
          "io.undertow.Undertow",
          "org.apache.kafka.streams.KafkaStreams",
          "org.apache.kafka.clients.producer.KafkaProducer",
          "org.apache.kafka.clients.consumer.KafkaConsumer",
          "org.rocksdb.RocksDB");
}
