package dev.holdfast.standalone;

import dev.holdfast.delivery.DeliveryApp;
import dev.holdfast.delivery.DeliveryConfig;
import dev.holdfast.delivery.source.SourceSpec;
import dev.holdfast.standalone.broker.DataLock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "streams",
    description = "Runs one instance of the application that decides who gets what.")
final class StreamsCommand implements Callable<Integer> {
  @Mixin private KafkaOptions kafka = new KafkaOptions();

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Where the state stores lie; keep it between starts, one a process.")
  private Path data = Path.of("");

  @Option(
      names = "--port",
      defaultValue = "8090",
      description =
          "Port of /healthz, /readyz and /metrics; 0 picks a free one, below 0: none."
              + " Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--host",
      defaultValue = "127.0.0.1",
      description = "Address of that port. Default: ${DEFAULT-VALUE}.")
  private String host = "";

  @Option(
      names = "--replica",
      defaultValue = "a",
      paramLabel = "a|b",
      description =
          "Which application of the hot pair this instance belongs to. Default: ${DEFAULT-VALUE}.")
  private String replica = "";

  @Option(
      names = "--threads",
      defaultValue = "1",
      description = "Stream threads, at most one a core. Default: ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--standbys",
      defaultValue = "1",
      description = "Standby copies of each store on other instances. Default: ${DEFAULT-VALUE}.")
  private int standbys;

  @Option(
      names = "--group-protocol",
      defaultValue = "classic",
      paramLabel = "classic|streams",
      description =
          "How instances share the work; streams fails over faster, classic warms a new instance up"
              + " first. Default: ${DEFAULT-VALUE}.")
  private String groupProtocol = "";

  @Mixin private SourceOptions sources = new SourceOptions();

  @Override
  public Integer call() throws Exception {
    OptionChecks.portOrNone("--port", port);
    OptionChecks.directory("--data", data);
    DeliveryConfig config =
        new DeliveryConfig(
            kafka.bootstrap(),
            data,
            replica,
            threads,
            standbys,
            groupProtocol,
            host,
            port,
            kafka.properties());
    List<SourceSpec> specs = sources.specs();
    DataLock lock = DataLock.take(data.toAbsolutePath().normalize(), "holdfast streams");
    return Processes.run(
        processes -> {
          processes.onEnd("data directory", lock);
          start(config, specs, processes);
        });
  }

  /**
   * Returns when the application runs and its sources have a position: it may have to restore its
   * state first.
   */
  static void start(DeliveryConfig config, List<SourceSpec> sources, Processes processes)
      throws Exception {
    DeliveryApp app = new DeliveryApp(config, sources);
    processes.onEnd("streams", app);
    CompletableFuture<String> fatal = app.fatal();
    processes.failOn(fatal);
    app.start();
    boolean running = false;
    while (!running) {
      try {
        app.awaitRunning(Duration.ofSeconds(1));
        running = true;
      } catch (TimeoutException e) {
        if (fatal.isDone()) {
          throw new CommandFailed(fatal.get());
        }
      }
    }
    if (config.healthPort() >= 0) {
      System.out.println(
          "health http://" + config.healthHost() + ":" + app.healthPort() + "/readyz");
    }
  }
}
