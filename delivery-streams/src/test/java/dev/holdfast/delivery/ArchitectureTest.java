package dev.holdfast.delivery;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

@AnalyzeClasses(
    packages = "dev.holdfast.delivery",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String[] PURE = {
    "dev.holdfast.delivery.state..",
    "dev.holdfast.delivery.idempotency..",
    "dev.holdfast.delivery.mailbox..",
    "dev.holdfast.delivery.presence..",
    "dev.holdfast.delivery.rules..",
    "dev.holdfast.delivery.source"
  };

  @ArchTest
  static final ArchRule ONLY_TOPOLOGY_FORWARDERS_AND_REPLAY_KNOW_KAFKA =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.holdfast.delivery.topology..",
              "dev.holdfast.delivery.source.forward..",
              "dev.holdfast.delivery.replay..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "org.rocksdb..");

  @ArchTest
  static final ArchRule SOURCES_AND_REPLAY_ARE_NO_STREAMS =
      noClasses()
          .that()
          .resideInAnyPackage("dev.holdfast.delivery.source..", "dev.holdfast.delivery.replay..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka.streams..", "org.rocksdb..", "dev.holdfast.delivery.topology..");

  @ArchTest
  static final ArchRule RULES_KNOW_NEITHER_KAFKA_NOR_LOGS_NOR_THE_SHELL =
      noClasses()
          .that()
          .resideInAnyPackage(PURE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka..",
              "org.rocksdb..",
              "org.slf4j..",
              "java.util.logging..",
              "java.net..",
              "java.io..",
              "java.nio.file..",
              "dev.holdfast.delivery.topology..");

  @ArchTest
  static final ArchRule RULES_HAVE_NO_CLOCK =
      noClasses()
          .that()
          .resideInAnyPackage(PURE)
          .should()
          .dependOnClassesThat()
          .areAssignableTo(InstantSource.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class)
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime");

  @ArchTest
  static final ArchRule RULES_LEAVE_NOTHING_TO_CHANCE_OR_THE_MACHINE =
      noClasses()
          .that()
          .resideInAnyPackage(PURE)
          .should()
          .dependOnClassesThat()
          .areAssignableTo(RandomGenerator.class)
          .orShould()
          .dependOnClassesThat()
          .belongToAnyOf(
              Random.class, SecureRandom.class, ThreadLocalRandom.class, UUID.class, Thread.class)
          .orShould()
          .callMethod(Math.class, "random")
          .orShould()
          .callMethod(System.class, "getenv", String.class)
          .orShould()
          .callMethod(System.class, "getProperty", String.class)
          .orShould()
          .callMethod(System.class, "identityHashCode", Object.class);

  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      slices().matching("dev.holdfast.delivery.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NOBODY_KNOWS_THE_EDGE =
      noClasses().should().dependOnClassesThat().resideInAPackage("dev.holdfast.edge..");
}
