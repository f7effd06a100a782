package dev.holdfast.edge;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

@AnalyzeClasses(
    packages = "dev.holdfast.edge",
    importOptions = ImportOption.DoNotIncludeTests.class)
class EdgeArchitectureTest {
  @ArchTest
  static final ArchRule ONLY_SOCKET_KNOWS_UNDERTOW =
      noClasses()
          .that()
          .resideOutsideOfPackage("..edge.socket..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.undertow..", "org.xnio..");

  @ArchTest
  static final ArchRule ONLY_THESE_KNOW_KAFKA =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "..edge.ingress..",
              "..edge.egress..",
              "..edge.channel..",
              "..edge.presence..",
              "..edge.kafka..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..");

  @ArchTest
  static final ArchRule WHO_IS_TOLD_OF_PRESENCE_IS_DECIDED_WITHOUT_KAFKA =
      noClasses()
          .that()
          .resideInAPackage("..edge.presence..")
          .and()
          .haveNameNotMatching(".*\\.Presence(Reader|Probe)(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..");

  @ArchTest
  static final ArchRule PRESENCE_KNOWS_NO_OTHER_STATION =
      noClasses()
          .that()
          .resideInAPackage("..edge.presence..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "..edge.socket..", "..edge.session..", "..edge.ingress..", "..edge.egress..");

  @ArchTest
  static final ArchRule STATIONS_COUNT_WITHOUT_A_LIBRARY =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.micrometer..", "io.prometheus..");

  @ArchTest
  static final ArchRule METRICS_LOOK_AT_SESSIONS_ONLY =
      noClasses()
          .that()
          .resideInAPackage("..edge.metrics..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("..edge.socket..", "..edge.ingress..", "..edge.egress..");

  @ArchTest
  static final ArchRule SESSION_KNOWS_NEITHER_SIDE =
      noClasses()
          .that()
          .resideInAPackage("..edge.session..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "..edge.socket..", "..edge.ingress..", "..edge.egress..", "..edge.channel..");

  @ArchTest
  static final ArchRule FEEDS_AND_PASSES_ARE_PLAIN_CODE =
      noClasses()
          .that()
          .haveNameMatching(
              ".*\\.channel\\.(Feed|StreamFeed|LatestFeed|Audience|Pass|Subscription|Resumer|PastReader|Tail|Epochs|RepeatWindow"
                  + "|LatestValues|ChannelEvent|Loading)(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..");

  @ArchTest
  static final ArchRule THE_DOOR_KNOWS_NOBODY_INSIDE =
      noClasses()
          .that()
          .resideInAnyPackage("..edge.auth..", "..edge.admission..", "..edge.tls..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "..edge.socket..",
              "..edge.session..",
              "..edge.ingress..",
              "..edge.egress..",
              "io.undertow..",
              "org.xnio..",
              "org.apache.kafka..");

  @ArchTest
  static final ArchRule PAGES_KNOW_NOTHING_OF_THE_EDGE =
      classes()
          .that()
          .resideInAPackage("..edge.page..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "org.jspecify..", "..edge.page..");

  @ArchTest
  static final ArchRule ONLY_AUTH_KNOWS_TOKENS =
      noClasses()
          .that()
          .resideOutsideOfPackage("..edge.auth..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.nimbusds..");

  @ArchTest
  static final ArchRule AUTH_IS_GIVEN_TIME =
      noClasses()
          .that()
          .resideInAPackage("..edge.auth..")
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

  @ArchTest
  static final ArchRule DRAIN_AND_ADMIN_KNOW_NEITHER_SIDE =
      noClasses()
          .that()
          .resideInAnyPackage("..edge.drain..", "..edge.admin..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("..edge.socket..", "..edge.ingress..", "..edge.egress..");

  @ArchTest
  static final ArchRule QUESTIONS_KNOW_NEITHER_SIDE =
      noClasses()
          .that()
          .resideInAPackage("..edge.history..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("..edge.socket..", "..edge.ingress..", "..edge.egress..");

  @ArchTest
  static final ArchRule STATIONS_MEET_IN_SESSIONS_ONLY =
      slices().matching("dev.holdfast.edge.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule SESSIONS_ARE_GIVEN_TIME_AND_CHANCE =
      noClasses()
          .that()
          .resideInAnyPackage(
              "..edge.session..", "..edge.admission..", "..edge.tls..", "..edge.presence..")
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Clock.class, "systemUTC")
          .orShould()
          .callMethod(ThreadLocalRandom.class, "current");

  @ArchTest
  static final ArchRule EDGE_AND_STREAMS_NEVER_MEET =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.holdfast.delivery..", "org.apache.kafka.streams..");
}
