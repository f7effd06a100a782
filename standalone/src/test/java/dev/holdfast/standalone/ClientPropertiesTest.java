package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ClientPropertiesTest {
  private static final String SECRET = "username=\"u\" password=\"hunter2\";";

  static Set<String> fixed() {
    return ClientProperties.FIXED.keySet();
  }

  @ParameterizedTest
  @MethodSource("fixed")
  void whatPromisesRestOnIsRefusedByNameAndReason(String key) {
    assertThatThrownBy(() -> ClientProperties.of(Map.of(), Map.of(key, "hunter2")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--kafka." + key + " cannot be set: " + ClientProperties.FIXED.get(key));
  }

  @Test
  void whatTheBriefNamesIsAmongThem() {
    assertThat(fixed())
        .contains(
            "acks",
            "enable.idempotence",
            "processing.guarantee",
            "auto.offset.reset",
            "delivery.timeout.ms",
            "isolation.level",
            "enable.transactional.statestores",
            "application.id",
            "state.dir",
            "max.in.flight.requests.per.connection",
            "group.id",
            "transactional.id",
            "enable.auto.commit");
  }

  @ParameterizedTest
  @ValueSource(strings = {"producer.acks", "main.consumer.auto.offset.reset", "consumer.group.id"})
  void aClientsNameInFrontHelpsNothing(String key) {
    assertThatThrownBy(() -> ClientProperties.of(Map.of(), Map.of(key, "x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--kafka." + key + " cannot be set: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "streams --bootstrap x:1 --data x --kafka.processing.guarantee=at_least_once",
        "edge --bootstrap x:1 --kafka.acks=1",
        "edge --bootstrap x:1 --kafka acks=1",
        "topics init --bootstrap x:1 --kafka.isolation.level=read_uncommitted",
        "topics check --bootstrap x:1 --kafka.group.id=g",
        "rules show --bootstrap x:1 --kafka.bootstrap.servers=y:2",
        "rules set --bootstrap x:1 --window 5 --kafka.enable.idempotence=false"
      })
  void everyCommandRefusesThemWithStatus2(String args) {
    StringWriter err = new StringWriter();
    int status =
        Main.run(
            args.split(" "), Map.of(), new PrintWriter(new StringWriter()), new PrintWriter(err));

    assertThat(status).isEqualTo(2);
    assertThat(err.toString()).contains(" cannot be set: ").hasLineCount(1);
  }

  @Test
  void variablesAreRefusedByTheirOwnNameAndNeverPrinted() {
    StringWriter err = new StringWriter();
    int status =
        Main.run(
            new String[] {"edge", "--bootstrap", "x:1"},
            Map.of("HOLDFAST_KAFKA_ACKS", "hunter2", "HOLDFAST_KAFKA_SASL_JAAS_CONFIG", SECRET),
            new PrintWriter(new StringWriter()),
            new PrintWriter(err));

    assertThat(status).isEqualTo(2);
    assertThat(err.toString())
        .contains("HOLDFAST_KAFKA_ACKS cannot be set")
        .doesNotContain("hunter2");
  }

  @Test
  void variablesBecomePropertiesAndTheCommandLineWins() {
    Map<String, String> environment =
        Map.of(
            "HOLDFAST_KAFKA_SASL_JAAS_CONFIG", SECRET,
            "HOLDFAST_KAFKA_LINGER_MS", "1",
            "HOLDFAST_KAFKA_CLIENT_RACK", "",
            "HOLDFAST_BOOTSTRAP", "x:1");

    assertThat(ClientProperties.of(environment, Map.of("linger.ms", "2")))
        .isEqualTo(Map.of("sasl.jaas.config", SECRET, "linger.ms", "2"));
  }

  @Test
  void helpNamesThem() {
    StringWriter out = new StringWriter();
    int status =
        Main.run(
            new String[] {"edge", "--help"},
            Map.of("HOLDFAST_KAFKA_SASL_JAAS_CONFIG", SECRET),
            new PrintWriter(out),
            new PrintWriter(new StringWriter()));

    assertThat(status).isZero();
    assertThat(out.toString())
        .contains("[HOLDFAST_KAFKA_...]", "HOLDFAST_KAFKA_SASL_JAAS_CONFIG")
        .doesNotContain("hunter2");
  }

  @Test
  void noOptionsVariableBeginsLikeThem() {
    assertThat(optionNames(Main.commandLine(Map.of())))
        .isNotEmpty()
        .noneMatch(name -> name.startsWith("--kafka-"));
  }

  private static List<String> optionNames(CommandLine command) {
    List<String> names = new ArrayList<>();
    command.getCommandSpec().options().forEach(o -> names.addAll(List.of(o.names())));
    command.getSubcommands().values().forEach(sub -> names.addAll(optionNames(sub)));
    return names;
  }
}
