package dev.holdfast.standalone;

import dev.holdfast.standalone.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "broker", description = "Runs one Kafka broker with its controller (KRaft).")
final class BrokerCommand implements Callable<Integer> {
  @Option(
      names = "--port",
      defaultValue = "9092",
      description = "Port of clients; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--host",
      defaultValue = "127.0.0.1",
      description = "Address to bind to and to tell clients. Default: ${DEFAULT-VALUE}.")
  private String host = "";

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Where the log lies; continued when it exists.")
  private Path data = Path.of("");

  @Option(
      names = "--kafka",
      paramLabel = "KEY=VALUE",
      description =
          "A broker property, like --kafka.log.retention.hours=1; wins over the defaults.")
  private Map<String, String> kafka = new LinkedHashMap<>();

  @Override
  public Integer call() throws Exception {
    OptionChecks.port("--port", port);
    OptionChecks.directory("--data", data);
    return Processes.run(
        processes -> {
          EmbeddedBroker broker = new EmbeddedBroker(data, host, port, kafka);
          processes.onEnd("broker", broker);
          processes.failOn(broker.fatal());
          broker.start();
          System.out.println("broker " + broker.bootstrap());
        });
  }
}
