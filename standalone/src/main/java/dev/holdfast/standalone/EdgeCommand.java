package dev.holdfast.standalone;

import dev.holdfast.Limits;
import dev.holdfast.edge.EdgeConfig;
import dev.holdfast.edge.EdgeNode;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.auth.AuthConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "edge", description = "Runs one node that holds clients' connections.")
final class EdgeCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(EdgeCommand.class);

  @Mixin private KafkaOptions kafka = new KafkaOptions();
  @Mixin private AdmissionOptions admission = new AdmissionOptions();
  @Mixin private TlsOptions tls = new TlsOptions();

  @Mixin private AuthOptions auth = new AuthOptions();
  @Mixin private DrainOptions drain = new DrainOptions();

  @Mixin private PresenceOptions presence = new PresenceOptions();
  @Mixin private HeartbeatOptions heartbeat = new HeartbeatOptions();
  @Mixin private ChannelOptions channels = new ChannelOptions();

  @Option(
      names = "--port",
      defaultValue = "8080",
      description = "Port of WebSocket and HTTP; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--host",
      defaultValue = "127.0.0.1",
      description = "Address to bind to. Default: ${DEFAULT-VALUE}.")
  private String host = "";

  @Option(
      names = "--edge-id",
      paramLabel = "ID",
      description =
          "The node's name, its own and the same after a restart. Default: made of host name and"
              + " port.")
  private @Nullable String edgeId;

  @Override
  public Integer call() throws Exception {
    OptionChecks.port("--port", port);
    AuthConfig access = auth.config(host, port);
    if (access.jwt() == null && !AuthOptions.isLoopback(host)) {
      LOG.warn("authentication is off: whoever reaches {}:{} can be any user", host, port);
    }
    String id = edgeId == null ? defaultId() : edgeId;
    EdgeConfig config =
        new EdgeConfig(
            kafka.bootstrap(),
            host,
            port,
            id,
            heartbeat.applyTo(admission.over(Limits.DEFAULT)),
            kafka.properties(),
            access,
            drain.config(),
            admission.over(AdmissionConfig.DEFAULT),
            tls.files(),
            channels.namespaces(List.of()),
            channels.keptBytes(),
            presence.config());
    OptionChecks.free("--port", host, port, "the edge");
    return Processes.run(
        processes -> {
          EdgeNode edge = start(config, processes);
          System.out.println("edge " + id + " " + url(config, edge.port()));
          if (edge.adminPort() >= 0) {
            System.out.println(
                "admin http://" + config.drain().adminHost() + ":" + edge.adminPort());
          }
        });
  }

  static EdgeNode start(EdgeConfig config, Processes processes) {
    EdgeNode edge = new EdgeNode(config);
    processes.onEnd("edge " + config.edgeId(), edge);
    processes.failOn(edge.fatal());
    processes.endOn(edge.drainAsked());
    processes.allow(1_000L * config.drain().seconds());
    edge.start();
    return edge;
  }

  static String url(EdgeConfig config, int port) {
    String scheme = config.tls() == null ? "ws://" : "wss://";
    return scheme + config.host() + ":" + port + "/v1/ws";
  }

  /** Two nodes must not share a name, so one without a fixed port takes its process id instead. */
  private String defaultId() {
    String machine;
    try {
      machine = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      machine = "unnamed";
    }
    long mark = port == 0 ? ProcessHandle.current().pid() : port;
    return "edge-" + machine.replaceAll("[^A-Za-z0-9._~-]", "-") + "-" + mark;
  }
}
