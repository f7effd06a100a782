package dev.holdfast.standalone;

import dev.holdfast.Limits;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.admission.Cidr;
import dev.holdfast.edge.admission.Networks;
import dev.holdfast.edge.admission.Rate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who an edge lets in and how fast. What is not given is as the command has it by default. */
final class AdmissionOptions {
  private static final String RATE = "RATE[:BURST]";
  private static final int KIB = 1024;

  @Option(
      names = "--connect-rate",
      paramLabel = RATE,
      converter = RateConverter.class,
      description =
          "Connections a second that this edge takes, and how many at once; beyond, 503 with"
              + " Retry-After. This and every limit below is each edge's own; off: none."
              + " Default: 500:1000; dev: off.")
  private @Nullable Rate connectRate;

  @Option(
      names = "--connect-rate-ip",
      paramLabel = RATE,
      converter = RateConverter.class,
      description = "The same for one address (IPv6: /64); beyond, 429. Default: 5:20; dev: off.")
  private @Nullable Rate connectRateIp;

  @Option(
      names = "--connect-rate-user",
      paramLabel = RATE,
      converter = RateConverter.class,
      description =
          "The same for one user; beyond, the connection is closed with 4005."
              + " Default: 1:5; dev: off.")
  private @Nullable Rate connectRateUser;

  @Option(
      names = "--history-rate",
      paramLabel = RATE,
      converter = RateConverter.class,
      description =
          "Pages a second of one user's history; beyond, 429 with Retry-After."
              + " Default: 5:20; dev: off.")
  private @Nullable Rate historyRate;

  @Option(
      names = "--trusted-cidr",
      paramLabel = "CIDR",
      split = ",",
      description =
          "A network without limits by address, like an office behind one address: 203.0.113.0/24."
              + " Repeatable, or with commas between. Default: none; dev: loopback.")
  private List<String> trustedCidr = new ArrayList<>();

  @Option(
      names = "--trusted-proxy",
      paramLabel = "CIDR",
      split = ",",
      description =
          "A proxy or balancer in front, or its network. Only its X-Forwarded-For is believed, and"
              + " without this option all clients behind it count as one address. Repeatable, or"
              + " with commas between.")
  private List<String> trustedProxy = new ArrayList<>();

  @Option(
      names = "--max-connections",
      paramLabel = "N",
      description = "WebSockets this edge holds; beyond, 503. Default: 19000.")
  private @Nullable Integer maxConnections;

  @Option(
      names = "--max-connections-ip",
      paramLabel = "N",
      description = "The same for one address; beyond, 429; 0: no limit. Default: 500; dev: 0.")
  private @Nullable Integer maxConnectionsIp;

  @Option(
      names = "--max-awaiting-hello",
      paramLabel = "N",
      description =
          "WebSockets that have not said hello; beyond, 503; 0: no limit. Default: 2000; dev: 0.")
  private @Nullable Integer awaitingHello;

  @Option(
      names = "--max-awaiting-hello-ip",
      paramLabel = "N",
      description = "The same for one address; beyond, 429; 0: no limit. Default: 32; dev: 0.")
  private @Nullable Integer awaitingHelloIp;

  @Option(
      names = "--hello-timeout-ms",
      paramLabel = "MS",
      description = "Time for a client to say hello; beyond, close 4408. Default: 10000.")
  private @Nullable Long helloTimeoutMs;

  @Option(
      names = "--max-http-sockets",
      paramLabel = "N",
      description =
          "Sockets that are no WebSockets (yet); beyond, new ones wait to be accepted; 0: no"
              + " limit. Default: 4096.")
  private @Nullable Integer httpSockets;

  @Option(
      names = "--max-http-sockets-ip",
      paramLabel = "N",
      description =
          "The same for one address; beyond, they are dropped; 0: no limit. Default: 128; dev: 0.")
  private @Nullable Integer httpSocketsIp;

  @Option(
      names = "--new-recipients",
      paramLabel = "N",
      description =
          "Users an hour, and at once, that one user may write to on a connection for the first"
              + " time; beyond, the error rate_limited; 0: no limit. Default: 1000; dev: 0.")
  private @Nullable Integer newRecipients;

  @Option(
      names = "--frame-rate",
      paramLabel = RATE,
      converter = RateConverter.class,
      description =
          "Frames a second that one connection may send, pings too; beyond, each gets the error"
              + " rate_limited, and a client that does not heed it 4005."
              + " Default: 300:3000; dev: off.")
  private @Nullable Rate frameRate;

  @Option(
      names = "--byte-rate",
      paramLabel = RATE,
      converter = RateConverter.class,
      description =
          "Bytes a second in those frames; k and m are understood. Default: 512k:4m; dev: off.")
  private @Nullable Rate byteRate;

  @Option(
      names = "--bandwidth-kb",
      paramLabel = "KIB",
      description = "Most KiB a second that go to one connection; 0: no limit. Default: 0.")
  private @Nullable Integer bandwidthKb;

  /**
   * What was asked for, over {@code defaults}.
   *
   * @throws IllegalArgumentException that names the option
   */
  AdmissionConfig over(AdmissionConfig defaults) {
    return new AdmissionConfig(
        or(connectRate, defaults.connectRate()),
        or(connectRateIp, defaults.connectRateIp()),
        or(connectRateUser, defaults.connectRateUser()),
        or(historyRate, defaults.historyRate()),
        networks("--trusted-cidr", trustedCidr, defaults.trustedCidr()),
        networks("--trusted-proxy", trustedProxy, defaults.trustedProxy()),
        count("--max-connections-ip", maxConnectionsIp, 0, defaults.maxConnectionsIp()),
        count("--max-awaiting-hello", awaitingHello, 0, defaults.awaitingHello()),
        count("--max-awaiting-hello-ip", awaitingHelloIp, 0, defaults.awaitingHelloIp()),
        count("--max-http-sockets", httpSockets, 0, defaults.httpSockets()),
        count("--max-http-sockets-ip", httpSocketsIp, 0, defaults.httpSocketsIp()),
        count("--new-recipients", newRecipients, 0, defaults.newRecipients()),
        or(frameRate, defaults.frameRate()),
        or(byteRate, defaults.byteRate()),
        bandwidth(defaults.bandwidth()));
  }

  /** The limits that lie in {@link Limits}. */
  Limits over(Limits defaults) {
    long helloMs = helloTimeoutMs == null ? defaults.helloTimeoutMs() : helloTimeoutMs;
    if (helloMs < 100 || helloMs > 600_000) {
      throw new IllegalArgumentException(
          "--hello-timeout-ms must be 100 to 600000, not " + helloMs);
    }
    int most = count("--max-connections", maxConnections, 1, defaults.maxConnections());
    return defaults.withConnections(most, helloMs);
  }

  private int bandwidth(int defaultBytes) {
    int most = Integer.MAX_VALUE / KIB;
    int kib = count("--bandwidth-kb", bandwidthKb, 0, defaultBytes / KIB);
    if (kib > most) {
      throw new IllegalArgumentException("--bandwidth-kb must be 0 to " + most + ", not " + kib);
    }
    return kib * KIB;
  }

  private static <T> T or(@Nullable T given, T otherwise) {
    return given == null ? otherwise : given;
  }

  private static int count(String option, @Nullable Integer given, int least, int otherwise) {
    int count = given == null ? otherwise : given;
    if (count < least) {
      throw new IllegalArgumentException(option + " must be " + least + " or more, not " + count);
    }
    return count;
  }

  private static Networks networks(String option, List<String> given, Networks otherwise) {
    if (given.isEmpty()) {
      return otherwise;
    }
    try {
      return new Networks(given.stream().map(String::trim).map(Cidr::parse).toList());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
    }
  }
}
