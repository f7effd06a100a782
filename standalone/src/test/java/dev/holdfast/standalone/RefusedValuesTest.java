package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What no option or variable can be is told by its name, before anything starts. */
class RefusedValuesTest {
  private static final Map<String, String> KAFKA = Map.of("HOLDFAST_BOOTSTRAP", "127.0.0.1:1");

  /** A pair of apostrophes is an empty argument. */
  private static Outcome run(Map<String, String> env, String args) {
    List<String> words = new ArrayList<>();
    for (String word : args.split(" ", -1)) {
      words.add(word.equals("''") ? "" : word);
    }
    return Outcome.of(env, words.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "dev --port 99999          | --port must be 0 to 65535, not 99999",
        "dev --port -1             | --port must be 0 to 65535, not -1",
        "dev --port 65535          | --port 65535: 2 edges need ports up to 65536",
        "dev --broker-port 70000   | --broker-port must be 0 to 65535, not 70000",
        "dev --edges 101           | --edges must be 1 to 100, not 101",
        "dev --data ''             | --data must name a directory, and is empty",
        "broker --data x --port -1 | --port must be 0 to 65535, not -1",
        "broker --data ''          | --data must name a directory, and is empty",
        "streams --data x --port 65536 | --port must be 0 to 65535, or below 0 for none",
        "streams --data ''         | --data must name a directory, and is empty",
        "edge --port 99999         | --port must be 0 to 65535, not 99999",
        "edge --port -1            | --port must be 0 to 65535, not -1",
        "edge --namespace open,inner:private | namespace inner is private, and authentication is off",
        "edge --auth none --namespace inner:private | Turn authentication on (--auth jwt), or leave",
        "dev --namespace inner:private | namespace inner is private, and authentication is off",
        "rebuild --check --snapshot '' | --snapshot must name a directory, and is empty",
        "edge --bootstrap nonsense | --bootstrap must be HOST:PORT, several with commas between",
        "topics check --bootstrap x: | --bootstrap must be HOST:PORT",
        "rules show --bootstrap :9092 | --bootstrap must be HOST:PORT",
        "topics init --bootstrap a:1,b | --bootstrap must be HOST:PORT",
        "topics init --wait -1     | --wait must be 0 or more, not -1",
        "topics init --partitions 0 | --partitions must be 1 or more, not 0",
        "topics init --delivery-partitions -2 | --delivery-partitions must be 1 or more, not -2",
        "topics init --replication 0 | --replication must be 1 to 32767, not 0",
        "topics init --replication 65539 | --replication must be 1 to 32767, not 65539",
        "streams --data x --source holdfast.events | topic holdfast.events cannot be a source",
        "streams --data x --source a,a | source a is given twice",
        "dev --source a:format=xml | source a: format must be json, text or base64, not 'xml'",
        "replay --from -1h         | give one of --source, --user and --channel",
        "replay --from -1h --user a --source b | give one of --source, --user and --channel",
        "replay --from -1h --source a --source b | give one of --source, --user and --channel",
        "replay --from soon --user a | --from must be an offset, a time with its zone like",
        "replay --from 0 --to -1w --user a | --to must be an offset, a time with its zone like",
        "replay --from -1h --to -2h --user a | --from must be before --to",
        "replay --from 5 --to 5 --user a --partition 0 | --from must be before --to",
        "replay --from 2126-11-30T12:00:00Z --user a | --from is in the future; it is 20",
        "replay --from -1h --user a --never-forwarded | --never-forwarded is for --source only",
        "replay --from 0 --user a --partition -1 | --partition must be 0 or more, not -1",
        "replay --from 0 --user a --as-new | --as-new is for --channel only",
        "replay --from 0 --user a --run x | --run must be 1-64 characters",
        "replay --from 0 --channel a:b --partition 1 | --channel has one partition",
        "replay --from 0 --channel a | --channel must be <namespace>:<key>",
        "replay --from 0 --channel a:b | --channel a:b: give the --namespace a",
        "replay --from 0 --user a --beyond-window | --beyond-window is for --channel without --as-new",
        "replay --from 0 --user a --partitions-before 2 | --partitions-before is for --channel only",
        "replay --from 0 --channel a:b --partitions-before 0 | --partitions-before must be 1 or more",
        "rules set --partitions 12 | --partitions cannot be changed: the number of partitions of",
        "rules set --partitions    | --partitions cannot be changed: the number of partitions of"
      })
  void theOptionIsNamed(String args, String said) {
    Outcome outcome = run(KAFKA, args);

    assertThat(outcome.err()).contains(said).hasLineCount(1).doesNotContain("Exception");
    assertThat(outcome.status()).isEqualTo(2);
  }

  @Test
  void theSourcesOfStreamsAreNoRangeOfReplay() {
    Outcome outcome =
        run(Map.of("HOLDFAST_SOURCE", "a,b", "HOLDFAST_BOOTSTRAP", "x:1"), "replay --from -1h");

    assertThat(outcome.err()).contains("give one of --source, --user and --channel");
    assertThat(run(Map.of(), "replay --help").out()).doesNotContain("HOLDFAST_SOURCE");
    assertThat(run(Map.of(), "streams --help").out()).contains("HOLDFAST_SOURCE");
  }

  @ParameterizedTest
  @CsvSource({"HOLDFAST_LOG_LEVEL, LOUD", "HOLDFAST_LIBRARY_LOG_LEVEL, 3"})
  void aLogLevelThatIsNoneIsRefused(String variable, String level) {
    Outcome outcome = run(Map.of(variable, level), "--version");

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err())
        .contains(variable + " must be TRACE, DEBUG, INFO, WARN, ERROR or OFF, not '" + level);
    assertThat(run(Map.of(variable, "debug"), "--version").status()).isZero();
  }

  @Test
  void aVariableOfTheTopicsCommandIsNoRule() {
    Outcome outcome = run(Map.of("HOLDFAST_PARTITIONS", "12"), "rules set --bootstrap x:1");

    assertThat(outcome.err()).contains("give at least one rule to change");
  }

  @Test
  void aTakenPortOfAnEdgeIsToldWithWhatToDo() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      Outcome outcome = run(KAFKA, "edge --port " + port);

      assertThat(outcome.status()).isEqualTo(1);
      assertThat(outcome.err())
          .contains("port " + port + " on 127.0.0.1", "stop the program", "another --port")
          .hasLineCount(1);
    }
  }

  @Test
  void aToolMayBeCalledByTheNameOfItsScript() {
    Outcome outcome = run(Map.of(), "kafka kafka-topisc.sh --list");

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("unknown tool kafka-topisc.sh; did you mean topics?"),
            line -> assertThat(line).startsWith("Tools: acls, "));
    assertThat(run(Map.of(), "kafka kafka-dump-log.sh --nope").err())
        .isEqualToIgnoringNewLines("holdfast kafka: nope is not a recognized option");
  }

  @Test
  void ofAStackTraceInOneTextTheBeginningIsPrinted() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream stream =
        new ShortTraces(new PrintStream(bytes, true, StandardCharsets.UTF_8))) {
      stream.println("a\n\tb");
      stream.println("x.Wrong: no\n\tat x.Y.z(Y.java:1)\n\tat x.Y.y(Y.java:2)\n");
    }

    assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("a", "\tb", "x.Wrong: no");
  }
}
