package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.admission.Cidr;
import dev.holdfast.edge.admission.Networks;
import dev.holdfast.edge.admission.Rate;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class AdmissionOptionsTest {
  private static AdmissionOptions parse(Map<String, String> env, String... args) {
    AdmissionOptions options = new AdmissionOptions();
    new CommandLine(options).setDefaultValueProvider(new EnvironmentDefaults(env)).parseArgs(args);
    return options;
  }

  @Test
  void nothingGivenIsTheDefault() {
    AdmissionOptions options = parse(Map.of());
    assertThat(options.over(AdmissionConfig.DEFAULT)).isEqualTo(AdmissionConfig.DEFAULT);
    assertThat(options.over(AdmissionConfig.OPEN)).isEqualTo(AdmissionConfig.OPEN);
    assertThat(options.over(Limits.DEFAULT)).isEqualTo(Limits.DEFAULT);
  }

  @Test
  void everyOptionCounts() {
    AdmissionOptions options =
        parse(
            Map.of(),
            "--connect-rate=10:20",
            "--connect-rate-ip=1",
            "--connect-rate-user=off",
            "--history-rate=3:4",
            "--trusted-cidr=10.0.0.0/8,192.0.2.1",
            "--trusted-cidr=::1",
            "--trusted-proxy=10.1.0.0/16",
            "--max-connections=77",
            "--max-connections-ip=7",
            "--max-awaiting-hello=8",
            "--max-awaiting-hello-ip=9",
            "--hello-timeout-ms=1500",
            "--max-http-sockets=11",
            "--max-http-sockets-ip=12",
            "--new-recipients=36",
            "--frame-rate=0.5:3",
            "--byte-rate=2k:1m",
            "--bandwidth-kb=100");
    assertThat(options.over(AdmissionConfig.DEFAULT))
        .isEqualTo(
            new AdmissionConfig(
                new Rate(10, 20),
                new Rate(1, 2),
                Rate.OFF,
                new Rate(3, 4),
                networks("10.0.0.0/8", "192.0.2.1", "::1"),
                networks("10.1.0.0/16"),
                7,
                8,
                9,
                11,
                12,
                36,
                new Rate(0.5, 3),
                new Rate(2_048, 1_048_576),
                102_400));
    assertThat(options.over(Limits.DEFAULT)).isEqualTo(Limits.DEFAULT.withConnections(77, 1_500));
  }

  @Test
  void everyOptionIsAVariable() {
    AdmissionOptions options =
        parse(
            Map.of(
                "HOLDFAST_CONNECT_RATE_IP", "7:8",
                "HOLDFAST_TRUSTED_CIDR", "10.0.0.0/8,::1",
                "HOLDFAST_MAX_CONNECTIONS", "5"),
            "--max-connections=6");
    AdmissionConfig config = options.over(AdmissionConfig.DEFAULT);
    assertThat(config.connectRateIp()).isEqualTo(new Rate(7, 8));
    assertThat(config.trustedCidr()).isEqualTo(networks("10.0.0.0/8", "::1"));
    assertThat(options.over(Limits.DEFAULT).maxConnections()).isEqualTo(6);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--connect-rate=fast | --connect-rate",
        "--connect-rate-ip=5: | --connect-rate-ip",
        "--connect-rate-user=-1 | --connect-rate-user",
        "--connect-rate-user=1:0 | --connect-rate-user",
        "--trusted-cidr=localhost | --trusted-cidr: 'localhost' is no network",
        "--trusted-proxy=10.0.0.0/99 | --trusted-proxy: '10.0.0.0/99' is no network",
        "--max-connections=0 | --max-connections must be 1 or more, not 0",
        "--max-connections-ip=-1 | --max-connections-ip must be 0 or more",
        "--hello-timeout-ms=5 | --hello-timeout-ms must be 100 to 600000, not 5",
        "--frame-rate=1x | --frame-rate",
        "--bandwidth-kb=99999999 | --bandwidth-kb",
        "--tls-cert=a.crt | --tls-cert and --tls-key belong together; --tls-key is missing",
        "--tls-key=a.key | --tls-cert is missing"
      })
  void whatIsWrongIsNamed(String arg, String said) {
    for (List<String> command :
        List.of(List.of("edge", "--bootstrap=127.0.0.1:1"), List.of("dev", "--data=unused"))) {
      StringWriter err = new StringWriter();
      String[] args = {command.get(0), command.get(1), arg};
      int status =
          Main.run(args, Map.of(), new PrintWriter(new StringWriter()), new PrintWriter(err));
      assertThat(err.toString()).contains(said).hasLineCount(1);
      assertThat(status).isEqualTo(2);
    }
  }

  private static Networks networks(String... all) {
    return new Networks(List.of(all).stream().map(Cidr::parse).toList());
  }
}
