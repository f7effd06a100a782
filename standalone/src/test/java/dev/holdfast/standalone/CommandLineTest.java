package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineTest {
  private static Outcome run(Map<String, String> env, String... args) {
    return Outcome.of(env, args);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "dev --help",
        "broker --help",
        "topics --help",
        "topics init --help",
        "topics check --help",
        "rules --help",
        "rules show --help",
        "rules set --help",
        "streams --help",
        "edge --help",
        "kick --help",
        "kafka --help"
      })
  void everyCommandHasHelp(String args) {
    Outcome outcome = run(Map.of(), args.split(" "));

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out()).startsWith("Usage: holdfast").contains("--version");
    assertThat(outcome.err()).isEmpty();
  }

  @Test
  void helpNamesTheEnvironmentVariables() {
    assertThat(run(Map.of(), "edge", "--help").out())
        .containsPattern("\\[HOLDFAST_BOOTSTRAP]")
        .containsPattern("\\[HOLDFAST_EDGE_ID]");
  }

  @ParameterizedTest
  @CsvSource({
    "dev --prot 1, --prot, --port",
    "dev --edge 3, --edge, --edges",
    "broker --dta x, --dta, --data",
    "topics init --bootstrp x:1, --bootstrp, --bootstrap",
    "rules set --max_backlog=5, --max_backlog, --max-backlog",
    "streams --replca a, --replca, --replica",
    "edge --edgeid e, --edgeid, --edge-id"
  })
  void unknownOptionIsRefusedWithTheNearest(String args, String typed, String meant) {
    Outcome outcome =
        run(Map.of("HOLDFAST_BOOTSTRAP", "localhost:1", "HOLDFAST_DATA", "x"), args.split(" "));

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err())
        .contains("unknown option " + typed + "; did you mean " + meant + "?")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({"edge --heartbeat-ms 999", "edge --heartbeat-ms 300001", "dev --heartbeat-ms 0"})
  void aHeartbeatOutOfItsRangeIsRefused(String args) {
    Outcome outcome =
        run(Map.of("HOLDFAST_BOOTSTRAP", "localhost:1", "HOLDFAST_DATA", "x"), args.split(" "));

    assertThat(outcome.status()).isNotZero();
    assertThat(outcome.err()).contains("--heartbeat-ms must be 1000 to 300000, not ");
  }

  @Test
  void unknownCommandIsRefusedWithTheNearest() {
    Outcome outcome = run(Map.of(), "steams");

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains("unknown command steams; did you mean streams?");
  }

  @Test
  void nothingNearNamesNothing() {
    assertThat(run(Map.of(), "dev", "--zzzzzzzz").err())
        .contains("unknown option --zzzzzzzz")
        .doesNotContain("did you mean");
  }

  @Test
  void noCommandListsThem() {
    Outcome outcome = run(Map.of());

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err())
        .contains("dev, broker, topics, rules, streams, edge, kick, replay, rebuild, kafka");
  }

  @Test
  void rebuildOnlyChecks() {
    Outcome outcome = run(Map.of(), "rebuild", "--bootstrap", "127.0.0.1:1");

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains("say --check");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "edge --port 0",
        "streams --data x",
        "topics check",
        "rules show",
        "kick bob",
        "rebuild --check"
      })
  void bootstrapIsRequired(String args) {
    Outcome outcome = run(Map.of(), args.split(" "));

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains("--bootstrap");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dev --port abc",
        "dev --edges 0",
        "dev --drain-seconds -1",
        "edge --bootstrap x:1 --auth maybe",
        "edge --bootstrap x:1 --drain-seconds 3601",
        "edge --bootstrap x:1 --admin-port 65536",
        "edge --bootstrap x:1 --edge-id white\u00a0space",
        "streams --bootstrap x:1 --data x --replica c",
        "streams --bootstrap x:1 --data x --group-protocol new",
        "rules set --bootstrap x:1",
        "kick --bootstrap x:1",
        "kick white\u00a0space --bootstrap x:1",
        "kick bob --client=/ --bootstrap x:1"
      })
  void valuesThatCannotBeAreRefusedInOneSentence(String args) {
    Outcome outcome = run(Map.of(), args.split(" "));

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).hasLineCount(1).doesNotContain("Exception");
  }

  @Test
  void optionComesFromTheEnvironmentAndTheCommandLineWins() {
    Map<String, String> env = Map.of("HOLDFAST_BOOTSTRAP", "env:1", "HOLDFAST_REPLICATION", "3");

    assertThat(value(env, "--replication", "topics", "init")).isEqualTo(3);
    assertThat(value(env, "--bootstrap", "topics", "init")).isEqualTo("env:1");
    assertThat(value(env, "--bootstrap", "topics", "init", "--bootstrap", "line:2"))
        .isEqualTo("line:2");
  }

  @Test
  void emptyVariableCountsAsNone() {
    assertThat(value(Map.of("HOLDFAST_EDGES", ""), "--edges", "dev")).isEqualTo(2);
  }

  @Test
  void edgesDrainForAWhileAndDevEndsAtOnce() {
    Map<String, String> env = Map.of("HOLDFAST_BOOTSTRAP", "env:1", "HOLDFAST_ADMIN_PORT", "9090");

    assertThat(value(env, "--drain-seconds", "edge")).isEqualTo(20);
    assertThat(value(env, "--admin-port", "edge")).isEqualTo(9090);
    assertThat(value(env, "--admin-host", "edge")).isEqualTo("127.0.0.1");
    assertThat(value(env, "--drain-seconds", "dev")).isEqualTo(0);
  }

  @Test
  void kafkaPropertiesArePassedOn() {
    assertThat(
            properties(
                Map.of("HOLDFAST_KAFKA_LINGER_MS", "9"),
                "topics",
                "init",
                "--bootstrap",
                "x:1",
                "--kafka.linger.ms=7",
                "--kafka.sasl.jaas.config=a b=\"c\""))
        .isEqualTo(Map.of("linger.ms", "7", "sasl.jaas.config", "a b=\"c\""));
  }

  private static Map<String, String> properties(Map<String, String> env, String... args) {
    CommandLine.Model.CommandSpec mixin =
        Objects.requireNonNull(parsed(env, args).commandSpec().mixins().get("kafka"));
    return ((KafkaOptions) mixin.userObject()).properties();
  }

  private static Object value(Map<String, String> env, String option, String... args) {
    return parsed(env, args).commandSpec().findOption(option).getValue();
  }

  private static CommandLine.ParseResult parsed(Map<String, String> env, String... args) {
    CommandLine.ParseResult parsed = Main.commandLine(env).parseArgs(Main.expand(args));
    while (parsed.hasSubcommand()) {
      parsed = parsed.subcommand();
    }
    return parsed;
  }

  @Test
  void versionIsTheBuilds() {
    assertThat(run(Map.of(), "--version").out()).matches("holdfast [0-9].*\\R");
    assertThat(run(Map.of(), "dev", "--version").out()).matches("holdfast [0-9].*\\R");
  }

  static List<Map.Entry<String, String>> tools() {
    return List.copyOf(KafkaCommand.TOOLS.entrySet());
  }

  @ParameterizedTest
  @MethodSource("tools")
  void kafkasToolsExist(Map.Entry<String, String> tool) throws ReflectiveOperationException {
    assertThat(Class.forName(tool.getValue()).getMethod("main", String[].class)).isNotNull();
  }

  @Test
  void unknownToolNamesTheNearest() {
    assertThat(run(Map.of(), "kafka", "console-consume").err())
        .contains("did you mean console-consumer?");
  }

  @Test
  void toolsAreListed() {
    assertThat(run(Map.of(), "kafka").out()).contains("topics", "dump-log", "console-producer");
  }
}
