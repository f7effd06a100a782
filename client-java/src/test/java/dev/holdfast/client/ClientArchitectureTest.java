package dev.holdfast.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

@AnalyzeClasses(
    packages = "dev.holdfast.client",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ClientArchitectureTest {
  @ArchTest
  static final ArchRule NEEDS_LITTLE =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..",
              "dev.holdfast.client..",
              "com.fasterxml.jackson..",
              "org.slf4j..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule RULES_ARE_PURE =
      classes()
          .that()
          .resideInAPackage("..client.rules..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java.lang..",
              "java.nio.charset..",
              "java.util",
              "java.util.function..",
              "java.util.random..",
              "java.util.regex..",
              "java.util.stream..",
              "dev.holdfast.client.rules..",
              "com.fasterxml.jackson..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule ONLY_NET_KNOWS_SOCKETS =
      noClasses()
          .that()
          .resideOutsideOfPackage("..client.net..")
          .and()
          .doNotHaveSimpleName("HoldfastClientBuilder")
          .and()
          .doNotHaveSimpleName("Shared")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("java.net.http..");

  @ArchTest
  static final ArchRule TIME_AND_CHANCE_ARE_GIVEN =
      noClasses()
          .that()
          .resideOutsideOfPackage("..client.net..")
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Instant.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(ThreadLocalRandom.class);

  @ArchTest
  static final ArchRule ONE_PLACE_CONNECTS =
      noClasses()
          .that()
          .doNotHaveSimpleName("Machine")
          .should()
          .callConstructorWhere(
              com.tngtech.archunit.base.DescribedPredicate.describe(
                  "of Link", call -> call.getTargetOwner().isEquivalentTo(Link.class)));
}
